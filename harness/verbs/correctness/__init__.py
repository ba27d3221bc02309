"""Verbs that answer, count and check."""
