"""What each endpoint is called in the clients: a row of the route table is a method of each of them."""

import re

from lootkeep.api.http.routes import Route

_EXTERNAL = "/api/external/v1"
_ON_RECORDS = {"GET": "get", "POST": "create", "PUT": "update", "DELETE": "delete"}

# Endpoints that read better under a name of their own than under the one that `client_method` makes.
_NAMED = {
    "GET /api/external/v1/referrals/tiers": "referrals.tiers.list",
    "POST /api/external/v1/referrals/tiers": "referrals.tiers.create",
    "GET /api/external/v1/referrals/settings": "referrals.settings.get",
    "PUT /api/external/v1/referrals/settings": "referrals.settings.update",
    "GET /api/external/v1/referrals/claims": "referrals.claims.list",
    "GET /api/external/v1/referrals/refused": "referrals.refused.list",
    "GET /api/external/v1/fraud/checks": "fraud.checks.list",
    "GET /api/external/v1/fraud/queue": "fraud.queue.list",
    "PUT /api/external/v1/fraud/checks/{id}/assignment": "fraud.checks.assign",
    "POST /api/external/v1/fraud/reviews": "fraud.review_ring",
    "GET /api/external/v1/fraud/settings": "fraud.settings.get",
    "PUT /api/external/v1/fraud/settings": "fraud.settings.update",
    "POST /api/external/v1/fraud/whitelist/ip": "fraud.whitelist.add_ip",
    "DELETE /api/external/v1/fraud/whitelist/ip": "fraud.whitelist.remove_ip",
    "POST /api/external/v1/fraud/whitelist/email": "fraud.whitelist.add_email",
    "DELETE /api/external/v1/fraud/whitelist/email": "fraud.whitelist.remove_email",
    "POST /api/external/v1/fraud/blocked-countries": "fraud.blocked_countries.add",
    "DELETE /api/external/v1/fraud/blocked-countries": "fraud.blocked_countries.remove",
    "GET /api/external/v1/fraud/rules": "fraud_rules.list",
    "POST /api/external/v1/fraud/rules": "fraud_rules.create",
    "PUT /api/external/v1/fraud/rules/{id}": "fraud_rules.update",
    "DELETE /api/external/v1/fraud/rules/{id}": "fraud_rules.delete",
    "GET /api/external/v1/fraud/lists": "fraud_lists.list",
    "POST /api/external/v1/fraud/lists": "fraud_lists.create",
    "DELETE /api/external/v1/fraud/lists/{id}": "fraud_lists.delete",
    "GET /api/external/v1/fraud/lists/{id}/entries": "fraud_lists.entries",
    "POST /api/external/v1/fraud/lists/{id}/entries": "fraud_lists.add_entries",
    "DELETE /api/external/v1/fraud/lists/{id}/entries": "fraud_lists.remove_entry",
    "GET /api/external/v1/webhooks/{id}/deliveries": "webhooks.deliveries.list",
    "POST /api/external/v1/webhooks/{id}/replay": "webhooks.replays.create",
    "GET /api/external/v1/webhooks/{id}/replay": "webhooks.replays.get",
    "GET /api/external/v1/events": "events.read",
    "POST /api/external/v1/products/{id}/keys": "products.keys.add",
    "GET /api/external/v1/products/{id}/keys": "products.keys.list",
    "GET /api/external/v1/products/{id}/key-batches": "products.keys.batches",
    "POST /api/external/v1/orders/{id}/items/{item_id}/replace-key": "orders.replace_key",
    "POST /api/external/v1/creators/{id}/payouts": "creators.pay_out",
    "PUT /api/external/v1/support-tickets/{id}/status": "support_tickets.set_status",
    "POST /api/external/v1/support-tickets/{id}/messages": "support_tickets.add_message",
    "GET /api/external/v1/payment-sources": "payments.sources.list",
    "POST /api/external/v1/payment-sources": "payments.sources.create",
    "GET /api/external/v1/payment-sources/{id}": "payments.sources.get",
    "PUT /api/external/v1/payment-sources/{id}": "payments.sources.update",
    "DELETE /api/external/v1/payment-sources/{id}": "payments.sources.delete",
    "GET /api/external/v1/payment-events": "payments.events.list",
    "GET /api/external/v1/payment-events/{id}": "payments.events.get",
    "POST /api/external/v1/payment-events/{id}/match": "payments.events.match",
    "POST /api/store/v1/customers/{id}/claims": "store.customers.claim",
    "POST /api/store/v1/orders/{id}/payment-attempts": "store.orders.decline",
    "POST /api/store/v1/support-tickets/{id}/messages": "store.support_tickets.add_message",
    "GET /api/game/v1/commands": "game.commands.take",
    "POST /api/game/v1/commands/results": "game.commands.report",
}


def client_method(prefix: str, route: Route) -> str:
    """The words of the path, and what is done to a record or a collection at its end.

    `GET /orders/{id}` is `orders.get`, `POST /orders/{id}/pay` of the Store API `store.orders.pay`.
    """
    path = prefix + route.path
    if name := _NAMED.get(f"{route.method} {path}"):
        return name
    words = [word for word in route.path.replace("-", "_").split("/")[1:] if not word.startswith("{")]
    if path.endswith("}"):
        words.append(_ON_RECORDS[route.method])
    elif len(words) == 1:
        words.append("list" if route.method == "GET" else _ON_RECORDS[route.method])
    if prefix != _EXTERNAL:
        # `store` or `game`.
        words.insert(0, prefix.split("/")[2])
    return ".".join(words)


def camel_case(name: str) -> str:
    """The name where methods are written so: `support_tickets.add_message` is `supportTickets.addMessage`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)
