"""The shop as Django knows it."""

from django.apps import AppConfig


class ShopConfig(AppConfig):
    name = "bench.peers.django_webhook.shop"
    label = "shop"
