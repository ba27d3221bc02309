"""Records: their schema, where their files are, and how untrusted ones are read."""
