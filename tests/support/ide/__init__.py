"""What an editor asks of a text, asked of the features themselves, without a server."""
