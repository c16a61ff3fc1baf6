"""The reference of what users write and read: keys, targets, verdicts, records, settings, commands.

Everything is derived from the models and from the commands. A module for each topic returns plain data
(`topic.Topic`); `markdown` makes pages of it for `docs/reference` and for `suitecase explain`.
"""
