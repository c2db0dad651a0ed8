"""`python -m bench.peers.django_webhook prepare | work | events N`."""

import json
import os
import sys

from bench.peers.django_webhook.celery import app

WORKER = ["worker", "--pool=solo", "--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]


def main(command: str, count: str = "0") -> None:
    import django

    django.setup()
    if command == "prepare":
        prepare()
    elif command == "work":
        app.worker_main(WORKER)
    else:
        events(int(count))


def prepare() -> None:
    from django.core.management import call_command
    from django_webhook.models import Webhook, WebhookSecret, WebhookTopic, populate_topics_from_settings

    call_command("migrate", run_syncdb=True, verbosity=0)
    populate_topics_from_settings()
    topic = WebhookTopic.objects.get(name="shop.Order/create")
    for number, url in enumerate(os.environ["PEER_WEBHOOKS"].split()):
        webhook = Webhook.objects.create(url=url)
        webhook.topics.add(topic)
        WebhookSecret.objects.create(webhook=webhook, token=f"{number:032x}")


def events(count: int) -> None:
    """What the package does when so many orders were saved; begins at the first line of input, ends at the next."""
    from django.db.models.signals import post_save
    from django_webhook.signals import SignalListener

    from bench.peers.django_webhook.shop.models import Order

    listener = SignalListener(signal=post_save, signal_name="post_save", model_cls=Order)
    order = Order(id=1, data=json.loads(os.environ["PEER_DATA"]))
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(count):
        listener.run(Order, created=True, instance=order)
    # It goes on being counted until it is told to leave.
    sys.stdin.readline()


if __name__ == "__main__":
    main(*sys.argv[1:])
