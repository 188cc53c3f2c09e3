"""What will come of a plan: growth of a pilot to production."""
