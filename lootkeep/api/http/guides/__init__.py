"""The guides of docs/ as pages below /docs/guides: their order, their HTML, their search and their index for agents."""
