"""Rules on legacy syntax, found as those of `suitecase.checking.rules` are."""
