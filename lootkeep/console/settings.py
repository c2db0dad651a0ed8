"""The settings of the store: what an owner changes while it runs, and what the environment fixes."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from lootkeep.console import forms
from lootkeep.console.forms import Field, Kind
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import (
    colours as colours_rules,
    passkeys as passkeys_rules,
    store_settings as store_settings_rules,
)
from lootkeep.domain.accounts import SignInFigures
from lootkeep.domain.codes import currencies
from lootkeep.domain.store_settings import MAIL_TEST, SETTINGS, Logo, MailTest, StoreSettings
from lootkeep.engines.emails.smtp import SmtpServer, StartTls, parse_server, server_url
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.redaction import ShownSetting, redacted
from lootkeep.kernel.wording import plural
from lootkeep.services import settings as settings_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.access import accounts as accounts_db

# What the audit log calls the settings.
RECORD = "settings"
_MAX_DAYS = 36_500
_MAX_PER_MINUTE = 60_000
_REGIONS = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")
_SECURITY = {
    "required": "STARTTLS",
    "tls": "TLS from the start",
    "auto": "STARTTLS if the server has it",
    "never": "None, passwords can be read",
}
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}|\[?[0-9A-Fa-f:]{2,39}\]?")
_NO_HOST = "Enter the name of the server, such as smtp.example.com."
_ASK_AGAIN = "Enter the password again: it is not sent to another server or as another user."
_OVER_HTTP = (
    "You came here over http, and with this the console is open over https only. Open it there first, then set this."
)


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError
    return text.strip("[]")


def _zones() -> Kind:
    return forms.choice({name: name for name in sorted(available_timezones()) if name.startswith((*_REGIONS, "UTC"))})


def _currencies() -> Kind:
    return forms.choice({code: f"{code}, {currency.name}" for code, currency in currencies().items()})


@cache
def cards() -> dict[str, tuple[Field, ...]]:
    """The fields by card; made when the page is first shown, because zones and currencies are read from files."""
    text, days = forms.text(), forms.whole(1, _MAX_DAYS)
    return {
        "Store": (
            Field("store_name", "Name", text, "On every page and in every e-mail."),
            Field("store_url", "Shop", text, "Where referral links lead.", placeholder="https://shop.example"),
            Field("public_url", "Public URL", text, "How people reach this service: links in e-mails begin with it."),
            Field("timezone", "Time zone", _zones(), "Days and reports begin at its midnight."),
            Field("currency", "Currency", _currencies(), "It stays once there are orders."),
            Field("store_postal_address", "Postal address", text, "In the footer of every e-mail."),
        ),
        "Mail": (
            Field("mail_host", "Server", forms.parsed(_host, _NO_HOST), "Empty: nothing is sent."),
            Field("mail_port", "Port", forms.whole(1, 65535)),
            Field("mail_security", "Security", forms.choice(_SECURITY)),
            Field("mail_user", "User", text),
            Field("mail_password", "Password", forms.text(shown_as="password"), "Sealed; nobody can read it here."),
            Field("mail_from", "From", text, placeholder="Shop <shop@example.com>"),
        ),
        "Buyer’s page and e-mails": (
            Field("store_colour", "Colour", text, "Of buttons and links.", placeholder="#b45309"),
            Field("order_emails", "E-mail “Your order” after the payment", forms.switch(), "The link, never the key."),
        ),
        "Campaigns": (
            Field("campaign_mails_per_minute", "E-mails a minute, at most", forms.whole(1, _MAX_PER_MINUTE)),
            Field("store_mail_reason", "Why customers get them", text, "In their footer, if not the usual reason."),
            Field("campaign_tracking", "Count opens and clicks", forms.switch(), "Off: without tracking links."),
        ),
        "Keeping data": (
            Field("events_kept_days", "Events and deliveries, days", days, "Older ones are deleted every hour."),
            Field("mails_kept_days", "E-mails, days", days, "With their bodies."),
        ),
    }


async def show(visit: Visit) -> Answer:
    await settings_service.refresh(visit.deps)
    async with visit.deps.db.read() as tx:
        changed_at = await settings_db.changed_at(tx, SETTINGS)
        test = await settings_db.get(tx, MAIL_TEST, MailTest)
        figures = await accounts_db.count_security(tx, visit.now)
    now = visit.options.current.value
    rows = {row.name.removeprefix("LOOTKEEP_").lower(): row for row in now.shown}
    return {
        "cards": {title: _hinted(visit, fields) for title, fields in cards().items()},
        "values": _values(visit),
        "fixed": _fixed(rows),
        "others": [row for row in now.shown if not row.is_in_console],
        "version": changed_at,
        "test": test,
        "security": _security(visit, figures, rows),
    }


async def save(visit: Visit) -> Answer:
    await settings_service.refresh(visit.deps)
    async with visit.deps.db.write() as tx:
        visit.check_unchanged(RECORD, await settings_db.changed_at(tx, SETTINGS))
    changes = _changes(visit)
    if changes.get("public_url", "").startswith("https:") and visit.request.headers.get("origin", "").startswith(
        "http:"
    ):
        raise invalid("public_url", _OVER_HTTP)
    if not changes:
        return Done(url("/settings"), "Nothing was changed.", tone="info")
    former = visit.options.current.stored
    before, after = await settings_service.save(visit.deps, changes)
    old, new = (_logged(changes, *state) for state in ((former, before), (changes, after)))
    if old.get("smtp_url", "") == new.get("smtp_url"):
        new["smtp_url"] += ", with another password"
    labels = {item.name: item.label for item in forms.flat(cards())} | {"smtp_url": "Mail server"}
    listed = " · ".join(f"{labels[name]}: {old[name]} → {new[name]}" for name in changes)
    count = plural(len(changes), "change is", "changes are")
    return Done(url("/settings"), f"{count} in effect. {listed}", RECORD, old, new)


async def test_mail(visit: Visit) -> Answer:
    """Sends an e-mail with the stored settings, and keeps what the server answered."""
    (address,) = forms.read(visit, (_TEST,)).values()
    test = await settings_service.test_mail(visit.deps, address)
    noted = {"to": address, "answer": test.answer}
    return Done(url("/settings") + "#mail", record=RECORD, after=noted)


async def upload_logo(visit: Visit) -> Answer:
    try:
        content = base64.b64decode(visit.form.get("logo", ""), validate=True)
    except ValueError:
        content = b""
    return await _set_logo(visit, store_settings_rules.make_logo(content), "The logo is in effect.")


async def remove_logo(visit: Visit) -> Answer:
    return await _set_logo(visit, Logo(), "The logo is removed.")


async def _set_logo(visit: Visit, logo: Logo, message: str) -> Answer:
    before, _ = await settings_service.set_logo(visit.deps, logo)
    former = (before.identity.logo or "").rpartition("/")[2]
    return Done(url("/settings"), message, RECORD, {"logo": former or "none"}, {"logo": logo.name or "none"})


_TEST = Field("test_email", "Test", forms.EMAIL, is_required=True)


def _changes(visit: Visit) -> dict[str, str]:
    """The texts of the settings that differ from what is in effect."""
    now = visit.options.current.value
    fixed = {row.name for row in now.shown if row.source == "environment"}
    fields = [item for item in forms.flat(cards()) if f"LOOTKEEP_{_setting(item.name).upper()}" not in fixed]
    values = forms.read(visit, fields)
    texts = {name: _text(value) for name, value in values.items() if not _is_of_server(name)}
    if "mail_host" in values:
        texts["smtp_url"] = _server_url(values, visit.options.current.stored.get("smtp_url", ""))
    current = now.texts | {"smtp_url": visit.options.current.stored.get("smtp_url", "")}
    return {name: text for name, text in texts.items() if text != current.get(name, "")}


def _server_url(values: Mapping[str, Any], stored: str) -> str:
    """The URL of the mail server of the form. An empty password is the stored one, for the same server and user."""
    if values["mail_host"] is None:
        return ""
    before = parse_server(stored) if stored else None
    password, user = values["mail_password"], values["mail_user"]
    if user and password is None and before and before.password:
        if (before.host, before.user) != (values["mail_host"], user):
            raise invalid("mail_password", _ASK_AGAIN)
        password = before.password
    is_tls = values["mail_security"] == "tls"
    port = values["mail_port"] or (465 if is_tls else 587)
    security: StartTls = "never" if is_tls else values["mail_security"]
    server = SmtpServer(values["mail_host"], port, user, password if user else None, is_tls, security)
    # Read as it will be: a password is not sent over a network that can be listened to.
    return server_url(parse_server(server_url(server)))


def _values(visit: Visit) -> dict[str, str]:
    return _read(visit.options.current.value.texts) | _server_values(visit.options.current.stored.get("smtp_url", ""))


def _server_values(stored: str) -> dict[str, str]:
    if not stored:
        return {"mail_host": "", "mail_port": "587", "mail_security": "required", "mail_user": "", "mail_password": ""}
    server = parse_server(stored)
    return {
        "mail_host": server.host,
        "mail_port": str(server.port),
        "mail_security": "tls" if server.is_tls else server.starttls,
        "mail_user": server.user or "",
        "mail_password": "",
    }


def _hinted(visit: Visit, fields: Sequence[Field]) -> list[Field]:
    """With what is true now: the time in the zone, what becomes of the colour, whether a password is set.

    A store without a name shows the one that pages have meanwhile, as a placeholder.
    """
    colour = visit.options.store.colour
    has_password = ":@" not in (stored := visit.options.current.stored.get("smtp_url", "")) and "@" in stored
    hints = {"timezone": f"Now {visit.formats.time(visit.now)}. Days and reports begin at its midnight."}
    if colour:
        hints["store_colour"] = colours_rules.explained(colour)
    if has_password:
        hints |= {"mail_password": "Set and sealed; empty leaves it as it is."}
    texts = {"store_name": visit.options.store_name}
    return [
        replace(item, hint=hints.get(item.name, item.hint), placeholder=texts.get(item.name, item.placeholder))
        for item in fields
    ]


def _security(visit: Visit, figures: SignInFigures, rows: Mapping[str, ShownSetting]) -> dict[str, str]:
    """The ways of signing in, and who is protected by more than a password."""
    party = passkeys_rules.relying_party(visit.options.store.public_url)
    passkeys = f"on, at {party.origin}" if party else "need a public URL with https and a host name"
    return {
        "Password": "on" if visit.options.has_passwords else "off",
        "Passkeys": passkeys if visit.options.has_passwords else "off, as passwords",
        "OpenID Connect": rows["oidc_issuer"].value or "off",
        "Header of a proxy": rows["proxy_auth_header"].value or "off",
        "Second factor": f"{figures.with_second_factor} of {plural(figures.with_password, 'person', 'people')}"
        " with a password",
        "Signed in": plural(figures.sessions, "browser", "browsers"),
    }


def _fixed(rows: Mapping[str, ShownSetting]) -> dict[str, ShownSetting]:
    """By the field, the setting of the environment that locks it."""
    settings = {item.name: rows[_setting(item.name)] for item in forms.flat(cards())}
    return {name: row for name, row in settings.items() if row.source == "environment"}


def _is_of_server(name: str) -> bool:
    return _setting(name) == "smtp_url"


def _setting(field: str) -> str:
    """The setting that a field is of; the mail server has several."""
    return "smtp_url" if field.startswith("mail_") and field != "mail_from" else field


def _logged(changes: Mapping[str, str], stored: Mapping[str, str], state: StoreSettings) -> dict[str, str]:
    """The settings that were changed as people may read them."""
    server = redacted(stored.get("smtp_url", ""))
    texts = _read(state.texts)
    return {name: (server if name == "smtp_url" else texts.get(name, "")) or "not set" for name in changes}


def _read(texts: Mapping[str, str]) -> dict[str, str]:
    """Switches as people read them."""
    switches = [item.name for item in forms.flat(cards()) if item.kind.type == "checkbox"]
    return {**texts, **{name: "yes" if texts[name] == "true" else "no" for name in switches}}


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


PAGES = (
    Page("GET", "/settings", "settings:read", "Settings", show, "settings.html", group="Store"),
    change("/settings", "settings:write", "Change the settings", save),
    change("/settings/mail-test", "settings:write", "Test the mail server", test_mail, is_foreign=True),
    change("/settings/logo", "settings:write", "Set the logo", upload_logo),
    change("/settings/logo/remove", "settings:write", "Remove the logo", remove_logo),
)
