"""The console: the store's panel in a browser, one row of PAGES and one template per page."""
