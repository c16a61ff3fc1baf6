"""The formats of AgentV up to version 4: understood, reported, and migrated to the current one."""
