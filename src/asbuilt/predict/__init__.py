"""What will happen to a plan: growth of a pilot into a production site."""
