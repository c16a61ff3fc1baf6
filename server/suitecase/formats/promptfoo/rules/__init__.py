"""Rules on suites of promptfoo, and of AgentV from version 5 on."""

#: What the rules are about, by the start of their codes.
FAMILIES = {
    "PF0": "promptfoo: text and YAML",
    "PF1": "promptfoo: keys and values",
    "PF2": "promptfoo: assertions",
    "PF3": "promptfoo: prompts and providers",
    "PF4": "promptfoo: variables and templates",
    "PF5": "promptfoo: files",
    "PF6": "promptfoo: removed and newer settings",
}
