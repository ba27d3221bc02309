"""What this computer is, and what its instructions cost."""
