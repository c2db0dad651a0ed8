"""Records that both APIs show and change, one file per area."""
