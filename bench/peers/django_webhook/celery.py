"""The Celery application: `celery -A bench.peers.django_webhook.celery worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.peers.django_webhook.settings")

app = Celery("bench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()
