"""What records say: estimates, comparisons, recommendations, exports."""
