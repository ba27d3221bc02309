"""Verbs that read records."""
