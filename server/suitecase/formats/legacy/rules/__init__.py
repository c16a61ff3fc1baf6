"""Rules on legacy syntax, found as those of `suitecase.rules` are."""
