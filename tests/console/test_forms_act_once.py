"""Every form of the console acts once, however often and whenever its button is pressed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest
from sqlalchemy import func, select

from lootkeep.console import fraud_settings
from lootkeep.console.bulk import AREAS
from lootkeep.console.page import PREFIX
from lootkeep.console.pages import PAGES
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import fraud as fraud_service, sign_in as sign_in_service
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import audit_log, idempotency_keys
from tests.api.campaigns import reader
from tests.api.commanding import STEVE, GameServer, bought, rank
from tests.builders import STORE, new_customer, new_product, paid_order
from tests.console.authenticator import SITE, Authenticator
from tests.console.visits import (
    DELIVERY,
    EMAIL,
    PASSWORD,
    SETTINGS_FORM,
    Visitor,
    code_of,
    first_owner,
    offered,
    signs_in,
    token,
    visitor,
)
from tests.receiver import Receiver
from tests.worker import bulk
from tests.world import World

PASSKEY = Authenticator()
NEW_PASSWORD = "another horse battery"
TIER = {"name": "Gold", "referrals_required": "3", "reward_type": "fixed_discount", "reward_value": "5.00"}
TIER |= {"coupon_validity_days": "30", "sort_order": "0"}
COUPON = {"code": "SPRING", "discount_type": "percentage", "discount_value": "15", "is_active": "yes"}
CREATOR = {"name": "Luna", "code": "LUNA2", "commission": "10", "hold_days": "30", "is_active": "yes"}
CAMPAIGN = {"name": "Winter sale", "subject": "20% off", "body_html": "<p>Hello!</p>"}
PRODUCT = {"name": "Gems", "price": "5.00", "status": "active", "delivery_type": "manual", "billing_type": "one_time"}
CUSTOMER = {"name": "Jun P.", "email": "jun@park.example", "accepts_marketing": "yes", "email_status": "ok"}
ALERT = {"name": "Staff", "channel": "slack", "target": "https://hooks.example/services/secret", "minutes": "15"}
ALERT |= {"triggers": "order_held", "limit_per_hour": "10"}
COMMAND = {"text": "say hi", "server_id": "1", "on": "paid"}
HOOK = {"url": "https://hooks.example/other", "events": "order.paid"}
REFERRALS = {"referral_enabled": "yes", "referral_reward_event": "signup", "referral_welcome_discount_enabled": "no"}
REFERRALS |= {"referral_welcome_discount_type": "percentage", "referral_welcome_discount_value": "5"}
RULE = {"name": "Large", "expression": "total > 100", "action": "flag", "mode": "shadow"}
FRAUD = {item.name: item.write(getattr(Policy(), item.name), "UTC") for item in fraud_settings.FORM}
# By the path of the row: one form after the other, each of which works; a value in braces is known only then.
SOURCE = {"provider": "stripe", "name": "Second", "secret": "whsec_3zq8Yw0Jm5Vb"}
# The store has an act of each area; these are the next ones.
BULK = tuple(
    step
    for number, (name, area) in enumerate(AREAS.items(), len(AREAS) + 1)
    for step in (
        (area.spec.bulk_path, "", {"act": bulk.FIRST[name][1], "ids": "999"}),
        (f"{area.spec.bulk_path}/{{id}}/start", str(number), {"agent_id": "1", "tag": "vip", "message": "Hello."}),
        (f"{area.spec.bulk_path}/{{id}}/stop", str(number), {}),
    )
)
STEPS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("/orders/{id}/fulfill", "1", {"note": "By hand"}),
    ("/orders/{id}/refund", "1", {"amount": "5.00", "confirmed": "yes"}),
    ("/orders/{id}/renew-page", "1", {"confirmed": "yes"}),
    ("/orders/{id}/approve", "6", {}),
    ("/orders/{id}/reject", "5", {}),
    ("/orders/{id}/cancel", "2", {}),
    *BULK,
    ("/fraud/checks/{id}/take", "4", {"take": "yes"}),
    ("/fraud/checks/{id}/review", "4", {"decision": "reject"}),
    ("/fraud/checks/{id}/ring", "7", {"decision": "reject", "check_ids": "7"}),
    ("/customers/{id}/edit", "1", CUSTOMER),
    ("/customers/{id}/block", "2", {"status_reason": "Abuse"}),
    ("/customers/{id}/unblock", "2", {"status_reason": "Sorry"}),
    ("/products/new", "", PRODUCT),
    ("/products/{id}/edit", "5", PRODUCT | {"name": "Gems, many"}),
    ("/products/{id}/stock", "5", {"stock": "7"}),
    ("/products/{id}/delete", "5", {}),
    ("/products/{id}/commands", "4", {f"commands.0.{name}": value for name, value in COMMAND.items()}),
    ("/products/{id}/keys", "2", {"keys": "AAAA-1111", "batch": "October"}),
    ("/products/{id}/keys/show", "2", {"key_id": "1"}),
    ("/products/{id}/keys/withdraw", "2", {"batch": "October"}),
    ("/orders/{id}/show-key", "8", {"key_id": "1"}),
    ("/orders/{id}/replace-key", "8", {"item_id": "8", "key_id": "1", "reason": "Used"}),
    ("/gift-cards/new", "", {"initial_balance": "25.00"}),
    ("/gift-cards/{id}/edit", "1", {"note": "VIP"}),
    ("/gift-cards/{id}/send", "1", {"email": "mina@mail.example"}),
    ("/gift-cards/{id}/redeem", "1", {"amount": "5.00"}),
    ("/gift-cards/{id}/revoke", "1", {"reason": "Lost"}),
    ("/coupons/new", "", COUPON),
    ("/coupons/generate", "", COUPON | {"count": "3", "prefix": "X-"}),
    ("/coupons/{id}/edit", "3", COUPON | {"note": "Over"}),
    ("/coupons/{id}/delete", "3", {}),
    ("/creators/new", "", CREATOR),
    ("/creators/{id}/edit", "2", CREATOR | {"name": "Moon"}),
    ("/creators/{id}/pay-out", "1", {"amount": "1.00", "reference": "t-1"}),
    ("/referrals/settings", "", REFERRALS),
    ("/referrals/tiers/new", "", TIER),
    ("/referrals/tiers/{id}", "1", TIER | {"name": "Silver"}),
    ("/referrals/tiers/{id}/toggle", "1", {}),
    ("/referrals/tiers/{id}/delete", "2", {}),
    ("/campaigns/new", "", CAMPAIGN),
    ("/campaigns/{id}/edit", "2", CAMPAIGN | {"name": "Spring sale"}),
    ("/campaigns/{id}/test", "2", {"email": "me@shop.example"}),
    ("/campaigns/{id}/duplicate", "2", {}),
    ("/campaigns/{id}/send", "2", {}),
    ("/campaigns/{id}/cancel", "2", {}),
    ("/campaigns/{id}/delete", "3", {}),
    ("/fraud/lists/{list}/add", "emails", {"emails": "good@mail.example"}),
    ("/fraud/lists/{list}/remove", "emails", {"emails": "good@mail.example"}),
    ("/fraud/lists", "", {"name": "vips", "kind": "email"}),
    ("/fraud/named-lists/{id}/add", "1", {"value": "203.0.113.9"}),
    ("/fraud/named-lists/{id}/remove", "1", {"value": "203.0.113.9"}),
    ("/fraud/named-lists/{id}/delete", "2", {}),
    ("/fraud/checks/{id}/block", "3", {}),
    ("/fraud/rules", "", RULE),
    ("/fraud/rules/{id}/delete", "1", {}),
    ("/fraud/settings", "", FRAUD),
    ("/tickets/{id}/reply", "1", {"message": "Try again."}),
    ("/tickets/{id}/note", "1", {"message": "Called them."}),
    ("/tickets/{id}/status", "1", {"status": "resolved"}),
    ("/tickets/{id}/priority", "1", {"priority": "high"}),
    ("/tickets/{id}/assign", "1", {"user_id": "1"}),
    ("/tickets/{id}/close", "1", {"message": "Bye."}),
    ("/commands/{id}/send-again", "1", {"order": "9"}),
    ("/servers/{id}/resync", "1", {"player": STEVE["id"], "since": ""}),
    ("/tickets/replies/new", "", {"name": "Thanks", "body": "Thank you, {{ customer_name }}."}),
    ("/tickets/replies/{id}/edit", "2", {"name": "Thanks", "body": "Thanks, {{ customer_name }}."}),
    ("/tickets/replies/{id}/delete", "2", {}),
    ("/servers/new", "", {"name": "Skyblock", "game": "minecraft"}),
    ("/servers/{id}/edit", "2", {"name": "Sky", "game": "minecraft"}),
    ("/servers/{id}/token", "2", {}),
    ("/servers/{id}/delete", "2", {}),
    ("/payments/{id}/match", "2", {"order_id": "ORD-000001", "accept_difference": "yes"}),
    ("/payments/{id}/leave", "1", {}),
    ("/payment-sources/new", "", SOURCE),
    ("/payment-sources/{id}/edit", "1", SOURCE | {"is_active": "yes"}),
    ("/payment-sources/{id}/delete", "2", {}),
    ("/webhooks/new", "", HOOK),
    ("/webhooks/{id}/edit", "2", HOOK | {"events": "order.refunded", "is_active": "yes"}),
    ("/webhooks/{id}/secret", "2", {}),
    ("/webhooks/{id}/test", "3", {}),
    ("/webhooks/{id}/replay", "1", {"since": "2026-11-15T11:00", "events": "product.updated"}),
    ("/webhooks/{id}/delete", "2", {}),
    ("/deliveries/{delivery_id}/send-again", DELIVERY, {}),
    ("/alerts/new", "", ALERT),
    ("/alerts/{id}/edit", "2", ALERT | {"name": "Night"}),
    ("/alerts/{id}/test", "1", {}),
    ("/alerts/{id}/mute", "1", {}),
    ("/alerts/{id}/unmute", "1", {}),
    ("/alerts/{id}/delete", "2", {}),
    ("/users/new", "", {"name": "Bo", "email": "bo@store.example", "role": "staff"}),
    ("/users/{id}/role", "2", {"role": "read_only"}),
    ("/users/{id}/link", "2", {}),
    ("/users/{id}/disable", "2", {}),
    ("/roles/new", "", {"name": "Accounts", "scopes": "payments:read"}),
    ("/roles/{id}/edit", "2", {"name": "Accounting", "scopes": "payments:read"}),
    ("/roles/{id}/delete", "2", {}),
    ("/tokens/new", "", {"name": "Bot", "scopes": "orders:read"}),
    ("/tokens/{id}/revoke", "2", {}),
    ("/customers/{id}/erase", "3", {}),
    ("/settings/mail-test", "", {"test_email": EMAIL}),
    ("/settings", "", SETTINGS_FORM),
    ("/settings/logo", "", {"logo": "iVBORw0KGgo="}),
    ("/settings/logo/remove", "", {}),
    ("/account/totp", "", {"setup": "{setup}", "code": "{code}", "own_password": PASSWORD}),
    ("/account/recovery", "", {"own_password": PASSWORD}),
    ("/account/totp/stop", "", {"own_password": PASSWORD}),
    ("/account/passkeys", "", {"name": "Laptop", "credential": "{created}", "passkey_password": PASSWORD}),
    ("/sign-in/passkey", "", {"credential": "{signed}"}),
    ("/account/passkeys/{id}/remove", "1", {"passkey_password": PASSWORD}),
    ("/account/views/new", "", {"name": "Late", "list": "/orders", "query": "status=paid"}),
    ("/account/views/{id}/edit", "1", {"name": "Later"}),
    ("/account/views/{id}/delete", "1", {}),
    ("/account/sessions/{id}/end", "2", {}),
    ("/account/password", "", {"current": PASSWORD, "password": NEW_PASSWORD, "repeated": NEW_PASSWORD}),
    ("/sign-out", "", {}),
    ("/sign-in", "", {"email": EMAIL, "password": NEW_PASSWORD}),
    ("/setup", "", {"link": "{link}", "password": PASSWORD, "repeated": PASSWORD, "name": "Bo", "email": EMAIL}),
)
_ENTRIES = Query(select(func.count()).select_from(audit_log))
_KEYS = Query(select(func.count()).select_from(idempotency_keys).where(idempotency_keys.c.token_id == 0))


@pytest.fixture
async def busy(store: World) -> AsyncIterator[World]:
    """The store of the tests with held orders, someone to write to, and a receiver on this machine."""
    world = World(store.db, clock=store.clock, webhook_allow_insecure=True, public_url=SITE)
    world.token = store.token
    await fraud_service.change_settings(world.deps, {"fraud_action": "verify", "fraud_sensitivity_level": "high"})
    for number in range(2, 8):
        customer = (await new_customer(world, name=f"Buyer {number}"))["customer"]
        body = {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}]}
        used = {"device_id": "shared", "ip_address": "203.0.113.77"}
        assert (await world.post(f"{STORE}/orders", body | used)).status_code == 201
        world.clock.advance(MINUTE)
    await fraud_service.change_settings(world.deps, {"fraud_detection_enabled": False})
    await paid_order(world, 1, ((await new_product(world, name="Key", delivery_type="keys", stock=3))["id"], 1))
    await bought(world, ranks := await rank(world))
    await paid_order(world, 1, (1, 1), coupon_code="LUNA")
    await bought(world, ranks, player=STEVE)
    await GameServer(world, (await world.post("/servers/1/rotate-token")).json()["data"]["token"]).run_all()
    await fraud_service.change_settings(world.deps, {"fraud_detection_enabled": True})
    await reader(world)
    yield world
    await world.close()


def test_every_unsafe_row_of_the_table_is_pressed_twice_below() -> None:
    assert [path for path, _, _ in STEPS if [path for path, _, _ in STEPS].count(path) > 1] == []
    unsafe = {page.path for page in PAGES if page.method != "GET" and not page.is_preview}
    assert {path for path, _, _ in STEPS} == unsafe


async def test_a_button_that_is_pressed_again_acts_once_and_shows_the_same_answer(busy: World) -> None:
    owner = await first_owner(busy)
    async with Receiver() as receiver:
        for path, key, fields in STEPS:
            if path == "/webhooks/{id}/test":
                await busy.post("/webhooks", {"url": receiver.url, "events": ["order.paid"]})
            if path == "/account/sessions/{id}/end":
                await signs_in(busy)
            await _press_again(busy, owner, path, re.sub(r"\{\w+\}", key, path), fields)


async def _press_again(world: World, owner: Visitor, row: str, path: str, fields: dict[str, str]) -> None:
    visits = await visitor(world, None) if row in ("/sign-in", "/sign-in/passkey", "/setup") else owner
    on = "/account" if visits is owner else "/sign-in"
    challenge = token(await visits.get(on))
    form = {"token": challenge, "confirmed": "yes"} | await _filled(world, owner, challenge, fields)
    entries, keys = await _count(world)
    pressed = [_send(world, dict(visits.http.cookies), path, form) for _ in range(2)]
    answers = [*await asyncio.gather(*pressed), await _send(world, dict(visits.http.cookies), path, form)]
    assert answers[0].status_code in (200, 303), (row, answers[0].text)
    assert [_shown(answer, row) for answer in answers] == [_shown(answers[0], row)] * 3, row
    # A draft changes nothing yet.
    logged = 0 if row == "/sign-out" or row.endswith("/bulk") else 1
    assert await _count(world) == (entries + logged, keys + 1), row


async def _send(world: World, cookies: dict[str, str], path: str, form: dict[str, str]) -> httpx.Response:
    """From a browser that has not seen an answer yet."""
    transport = httpx.ASGITransport(world.app, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://store.test", cookies=cookies) as http:
        return await http.post(PREFIX + path, data=form)


def _shown(answer: httpx.Response, row: str) -> tuple[int, str, list[str], str]:
    """Where it leads, the secret that it shows, and whom it signs in; who is signed out is asked to sign in."""
    location = answer.headers.get("location", "")
    target = location.partition("?")[0] if row == "/sign-out" else location
    session = "" if row == "/sign-out" else str(answer.cookies.get("lootkeep"))
    return answer.status_code, target, re.findall(r'<code class="secret"[^>]*>([^<]+)<', answer.text), session


async def _filled(world: World, owner: Visitor, challenge: str, fields: dict[str, str]) -> dict[str, str]:
    setup = await offered(owner) if "setup" in fields else {"setup": "", "secret": ""}
    code = code_of(world, setup["secret"]) if "setup" in fields else ""
    link = await sign_in_service.make_link(world.deps, None) if "link" in fields else ""
    values = {"{code}": code, "{link}": link, "{setup}": setup["setup"]}
    if "{created}" in fields.values():
        values["{created}"] = PASSKEY.creates(challenge)
    if "{signed}" in fields.values():
        PASSKEY.count += 1
        values["{signed}"] = PASSKEY.signs(challenge)
    return {name: values.get(value, value) for name, value in fields.items()}


async def _count(world: World) -> tuple[int, int]:
    async with world.db.read() as tx:
        ((entries,),), ((keys,),) = await tx.all(_ENTRIES), await tx.all(_KEYS)
    return entries, keys


async def test_what_is_entered_differently_is_another_form(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"token": token(await visits.get("/tickets/1"))}
    for message in ("First.", "Second.", "First."):
        await visits.http.post(f"{PREFIX}/tickets/1/note", data=form | {"message": message})
    messages = (await store.get("/support-tickets/1")).json()["data"]["messages"]
    assert [message["body"] for message in messages if message["is_internal"]] == ["First.", "Second."]


async def test_a_form_that_failed_can_be_sent_again(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"token": token(await visits.get("/products/new"))} | PRODUCT
    wrong = await visits.http.post(f"{PREFIX}/products/new", data=form | {"price": "x"})
    right = [(await visits.http.post(f"{PREFIX}/products/new", data=form)).headers["location"] for _ in range(2)]
    assert (wrong.status_code, right) == (422, [f"{PREFIX}/products/2"] * 2)
