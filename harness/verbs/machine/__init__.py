"""Verbs about this CPU."""
