"""The LLM judge: free-form, checklist and score ranges."""
