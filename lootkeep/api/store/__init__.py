"""The Store API, which the store's own checkout calls; one file per group."""
