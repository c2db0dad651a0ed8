"""The public JSON of each record: the API answers it, webhooks carry it."""
