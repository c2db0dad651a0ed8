"""What each method takes, a file for each group."""
