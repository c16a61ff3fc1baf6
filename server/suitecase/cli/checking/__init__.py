"""The implementation of `suitecase check`: finding, checking and fixing files."""
