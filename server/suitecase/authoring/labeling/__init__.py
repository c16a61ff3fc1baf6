"""People's labels: sheets for raters, and agreement."""
