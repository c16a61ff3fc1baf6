"""The files of a first suite, as texts: what `suitecase init` and editors create."""
