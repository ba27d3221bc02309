"""The record: its schema, where it lives, and how untrusted ones are read."""
