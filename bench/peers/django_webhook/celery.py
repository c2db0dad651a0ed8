"""The Celery application: `celery -A bench.peers.django_webhook.celery worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.peers.django_webhook.settings")

app = Celery("bench")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery would otherwise close the database connection after every task, which more than doubles the cost.
app.conf.CELERY_DB_REUSE_MAX = 1_000_000
app.set_default()
app.autodiscover_tasks()
