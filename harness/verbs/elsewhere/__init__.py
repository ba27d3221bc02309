"""Verbs about other CPUs and constants."""
