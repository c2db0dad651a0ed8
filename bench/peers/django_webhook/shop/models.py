"""What the webhooks tell about."""

from django.db import models


class Order(models.Model):
    """Its fields are the payload, as the package makes it."""

    data = models.JSONField()

    class Meta:
        app_label = "shop"
