"""What the make commands run."""
