"""Helpers for the tests of the console: users of every role, a client that signs in, and forms with their token."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import httpx

from lootkeep.api.http.metrics import Metrics
from lootkeep.console.bulk import AREAS
from lootkeep.console.page import Page
from lootkeep.domain.accounts import TOTP_STEP_SECONDS, Account, totp_code
from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.services import access as access_service, sign_in as sign_in_service, users as users_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.demo import Demo
from lootkeep.storage.webhooks import fan_out as fan_out_db
from lootkeep.wiring import serving
from lootkeep.worker.loop import Worker
from tests.browser import Browser
from tests.builders import STORE
from tests.world import World

PASSWORD = "correct horse battery"
EMAIL = "ada@store.example"
DELIVERY = "wh_00000000-0000-0000-0000-00000000000a"
# A mail is shown with its own styles, in a sandbox that the tests of campaigns look at.
MAIL = "/campaigns/{id}/mail"
MAX_PAGE_BYTES = 100_000
# The form of the settings, with one change.
SETTINGS_FORM = {"store_name": "Pixel Forge", "timezone": "UTC", "currency": "USD", "mail_security": "required"}
SETTINGS_FORM |= {"campaign_mails_per_minute": "300", "campaign_tracking": "yes", "mail_port": "587"}
SETTINGS_FORM |= {"events_kept_days": "30", "mails_kept_days": "30"}
_OFFERED = {"secret": r'<code class="break" data-copy>(\w+)</code>', "setup": r'name="setup" value="([^"]+)"'}
_TOKEN = re.compile(r'name="token" value="([0-9a-z.-]+)"')


NO_LIMITS = {"refund_limit": None, "masks_emails": False, "hides_revenue": False}
SUPPORT = NO_LIMITS | {"name": "Support", "scopes": ["support-tickets:read", "support-tickets:write"]}
# By the name of a path's parameter, what the store of the tests has there.
PARAMETERS = {"{id}": "1", "{list}": "emails", "{delivery_id}": DELIVERY}


def path_of(page: Page, parameters: Mapping[str, str] = {}) -> str:
    path = page.path
    if "/bulk/" in path:
        # The store has an act of each area, in their order.
        paths = [area.spec.bulk_path for area in AREAS.values()]
        path = path.replace("{id}", str(paths.index(path.partition("/{")[0]) + 1))
    for name, value in (PARAMETERS | dict(parameters)).items():
        path = path.replace(name, value)
    return path


class Visitor:
    """A user's browser without JavaScript."""

    def __init__(self, world: World, ip: str = "127.0.0.1") -> None:
        transport = httpx.ASGITransport(world.app, raise_app_exceptions=True, client=(ip, 123))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://store.test")

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.http.get(f"/console{path}", **options)

    async def post(self, path: str, *, on: str = "/search", **fields: str) -> httpx.Response:
        """Sends a form with the token of the page `on`."""
        form = {"token": token(await self.get(on))} | fields
        return await self.http.post(f"/console{path}", data=form)


def as_demo(world: World, *, is_open_house: bool = False) -> World:
    """The world serves a demo store from now on."""
    world.deps = dataclasses.replace(world.deps, demo=Demo("small", 1, world.clock.now(), is_open_house))
    world.app = serving.api(world.deps, world.settings, world.tokens, Worker(()), Metrics())
    return world


def token(page: httpx.Response) -> str:
    match = _TOKEN.search(page.text)
    assert match, page.text
    return match[1]


async def visitor(world: World, role: str | None, ip: str = "127.0.0.1", **limits: Any) -> Visitor:
    """A signed-in user with a preset, or with these scopes and limits; None is an anonymous visitor."""
    person = Visitor(world, ip)
    if role is not None:
        secret = await sign_in_service.start_session(
            world.deps, await user(world, role, **limits), "203.0.113.5", "Firefox"
        )
        person.http.cookies.set("lootkeep", secret, domain="store.test")
    return person


async def user(world: World, role: str, **limits: Any) -> int:
    """The id of a user with an account of this role, who has no password yet."""
    now = world.clock.now()
    email = re.sub(r"[ :]", "-", f"{role}{''.join(limits)}@store.example")
    async with world.deps.db.read() as tx:
        existing = await access_db.USERS.find_one(tx, email=email)
    if existing:
        return existing.id
    added = await access_service.add_user(world.deps, email, f"The {role}")
    account = Account(added.id, role, now, now)
    if role not in PRESETS:
        terms = {"name": f"Only {role} {limits or ''}", "scopes": role.split(), **NO_LIMITS, **limits}
        role_made = await users_service.create_role(world.deps, terms)
        account = Account(added.id, "custom", now, now, role_id=role_made.id)
    async with world.deps.db.write() as tx:
        await accounts_db.ROWS.add_if_free(tx, account)
    return added.id


async def new_delivery(world: World) -> None:
    """A webhook, and the delivery `DELIVERY` of the last event, which waits to be sent."""
    body = {"url": "https://hooks.example/bot", "events": ["product.updated"]}
    assert (await world.post("/webhooks", body)).status_code == 201
    assert (await world.put(f"{STORE}/products/1", {"description": "Now with a description."})).status_code == 200
    async with world.db.write() as tx:
        await fan_out_db.fan_out(tx, lambda: DELIVERY, world.clock.now())


async def first_owner(world: World) -> Visitor:
    """The owner, by the link of the first start."""
    visits = await visitor(world, None)
    link = await sign_in_service.make_link(world.deps, None)
    fields = {"name": "Ada Park", "email": EMAIL, "password": PASSWORD, "repeated": PASSWORD}
    answer = await visits.post("/setup", on=f"/setup?token={link}", link=link, **fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console"), answer.text
    return visits


async def signs_in(
    world: World, password: str = PASSWORD, email: str = EMAIL, code: str = "", ip: str = "127.0.0.1"
) -> tuple[int, Visitor]:
    """In a browser that nobody knows."""
    visits = await visitor(world, None, ip)
    answer = await visits.post("/sign-in", on="/sign-in", email=email, password=password, code=code)
    return answer.status_code, visits


async def logged(world: World, record: str = "user:1") -> list[tuple[str, list[tuple[str, object, object]]]]:
    """The actions of the audit log on a record, with what each changed."""
    async with world.db.read() as tx:
        return [(entry.action, entry.changes) for entry in await audit_db.changes_since(tx, record, Instant(0))]


async def offered(visits: Visitor) -> dict[str, str]:
    """The secret that the page of the account shows for an authenticator, and the field that says it is ours."""
    page = (await visits.get("/account")).text
    return {name: re.findall(pattern, page)[0] for name, pattern in _OFFERED.items()}


def code_of(world: World, secret: str) -> str:
    """What an authenticator shows now."""
    return totp_code(secret, world.clock.now() // SECOND // TOTP_STEP_SECONDS)


async def turn_on_totp(world: World, visits: Visitor) -> str:
    """The secret of the second factor that is on from now on."""
    setup = await offered(visits)
    form = {"setup": setup["setup"], "code": code_of(world, setup["secret"]), "own_password": PASSWORD}
    answer = await visits.post("/account/totp", **form)
    assert answer.status_code in (200, 303), answer.text
    return setup["secret"]


def set_up(browser: Browser) -> None:
    """Fills the owner's form of the first start."""
    browser.write("#name", "Ada Park")
    browser.write("#email", EMAIL)
    browser.write("#password", PASSWORD)
    browser.write("#repeated", PASSWORD)
    # A demo has another button, for who wants no password.
    browser.click("form:has(#password) button")
    # What is clicked while a page is still loading may have moved.
    browser.until("document.readyState === 'complete' && document.querySelector('.side')")
