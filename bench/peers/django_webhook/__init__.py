"""A store that sends its webhooks with the published django-webhook package and Celery."""
