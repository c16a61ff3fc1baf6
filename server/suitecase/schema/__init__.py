"""Keys of formats: what each means, which roles it has, and how its value is validated."""
