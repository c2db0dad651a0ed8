"""Django and Celery as the package's documentation sets them up; where a choice was open it costs the least CPU."""

import os
from urllib.parse import urlsplit

_database = urlsplit(os.environ["PEER_DATABASE_URL"])

SECRET_KEY = "only for the benchmark"
DEBUG = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django_webhook", "bench.peers.django_webhook.shop"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": _database.hostname,
        "PORT": _database.port,
        "USER": _database.username,
        "NAME": _database.path.removeprefix("/"),
        # Kept open: a connection for each task would cost several milliseconds.
        "CONN_MAX_AGE": None,
        # Statements are prepared by the server and used again.
        "OPTIONS": {"server_side_binding": True, "prepare_threshold": 1},
    }
}
# Its defaults: events are stored and the subscriptions are cached.
DJANGO_WEBHOOK = {"MODELS": ["shop.Order"], "STORE_EVENTS": True, "USE_CACHE": True}
LOGGING_CONFIG = None

CELERY_BROKER_URL = os.environ["PEER_REDIS_URL"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 64
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
