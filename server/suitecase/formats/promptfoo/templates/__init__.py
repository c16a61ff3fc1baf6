"""Templates of nunjucks, read as text."""
