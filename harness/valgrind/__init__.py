"""Instruction counts by callgrind, and the committed baseline."""
