"""What a bug report needs to know, without secrets, texts and paths."""
