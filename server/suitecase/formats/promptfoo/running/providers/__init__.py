"""The targets of providers: a module for each kind of provider."""
