"""A small shop with nothing but the client: a checkout, a webhook, and keys that are delivered when they are paid.

    lootkeep serve --demo --dev
    export LOOTKEEP_URL=http://127.0.0.1:8000 LOOTKEEP_TOKEN=lk_... WEBHOOK_SECRET=whsec_...
    python shop.py

The webhook is created in the console, with the URL http://127.0.0.1:8090/webhook and the event order.paid.
"""

from __future__ import annotations

import os
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs
from uuid import uuid4

from lootkeep_client import Client, Invalid, WebhookNotVerified, verify_webhook

# LOOTKEEP_URL and LOOTKEEP_TOKEN say which service.
client = Client()
# A real shop has a database. Nobody guesses the id of a checkout, so it leads to the buyer's keys.
orders: dict[str, int] = {}
keys: dict[int, list[str]] = {}


class Answer(NamedTuple):
    status: int
    html: str
    location: str | None = None


def show_products() -> Answer:
    forms = [
        f"""<form method="post" action="/buy">
        <h2>{escape(product["name"])}, {product["price"]} {product["currency"]}</h2>
        <input type="hidden" name="checkout" value="{uuid4()}">
        <input type="hidden" name="product" value="{product["id"]}">
        <label>E-mail <input name="email" type="email" required></label> <button>Buy</button></form>"""
        for product in client.products.list()
    ]
    return Answer(200, "".join(forms))


def buy(form: dict[str, str], ip: str) -> Answer:
    checkout, email = form.get("checkout", ""), form.get("email", "")
    try:
        # Someone who has bought before is the same customer; a form that is sent twice is one order.
        customer = client.store.customers.create(email=email, name=email, external_id=email)["customer"]
        placed = client.store.orders.create(
            customer_id=customer["id"],
            items=[{"product_id": int(form.get("product", "0")), "quantity": 1}],
            ip_address=ip,
            idempotency_key=checkout,
        )
    except Invalid as error:
        sentences = [sentence for sentences in error.fields.values() for sentence in sentences]
        return Answer(422, escape(" ".join(sentences)))
    orders[checkout] = placed["order"]["id"]
    # Your payment provider takes the money here. Anything but `pay` means that it must not do so now.
    if placed["next"] == "pay":
        client.store.orders.pay(placed["order"]["id"], transaction_id=f"example-{checkout}")
    return Answer(303, "", f"/orders/{checkout}")


def receive(body: bytes, headers: dict[str, str]) -> Answer:
    try:
        delivery = verify_webhook(body, headers, os.environ["WEBHOOK_SECRET"])
    except WebhookNotVerified as error:
        return Answer(401, error.reason)
    if delivery["event_type"] == "order.paid":
        deliver(delivery["data"]["order_id"], delivery["data"]["customer_email"])
    return Answer(200, "")


def deliver(order: int, email: str) -> None:
    """The same delivery may come twice: delivering again changes nothing."""
    keys[order] = [good["value"] for good in client.store.orders.goods(order) if good["value"] is not None]
    print(f"Delivered order {order} to {email}.", flush=True)


def show_order(checkout: str) -> Answer:
    if checkout not in orders:
        return Answer(404, "There is no such order.")
    codes = "".join(f"<p>Your key: <code>{escape(key)}</code></p>" for key in keys.get(orders[checkout], ()))
    return Answer(200, codes or "<p>Your order is being checked. Reload this page in a moment.</p>")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        _, folder, checkout = (*self.path.split("/", 2), "")[:3]
        if folder == "orders":
            self.respond(show_order(checkout))
        else:
            self.respond(Answer(404, "There is no such page.") if folder else show_products())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/webhook":
            self.respond(receive(body, dict(self.headers)))
        elif self.path == "/buy":
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            self.respond(buy(form, self.client_address[0]))
        else:
            self.respond(Answer(404, "There is no such page."))

    def respond(self, answer: Answer) -> None:
        content = answer.html.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if answer.location:
            self.send_header("Location", answer.location)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """What matters is printed."""


def main() -> None:
    with ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Handler) as server:
        print(f"The shop is at http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
