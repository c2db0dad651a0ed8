"""Changing settings while the service runs, and taking over what was changed by any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import structlog

from lootkeep.deps import Deps
from lootkeep.domain import emails as emails_rules, store_settings as store_settings_rules
from lootkeep.domain.emails import Email
from lootkeep.domain.store_settings import LOGO, MAIL_TEST, SETTINGS, Logo, MailTest, StoredSettings, StoreSettings
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Database, JoinedDatabase, Transaction
from lootkeep.storage.orders import rows as orders_db
from lootkeep.views import emails as emails_views

log = structlog.get_logger(__name__)

# Their texts hold passwords.
_SECRETS = ("smtp_url",)
_PURPOSE = "setting"
_NO_SENDER = "Enter the sender that the server accepts, such as Shop <shop@example.com>."
_COUNTED = "The currency stays as it is: there are orders, and what customers spent and figures are counted in it."


async def refresh(deps: Deps) -> None:
    """Called every second, and when someone looks at the settings."""
    async with deps.db.read() as tx:
        version, stored = await settings_db.current(tx, SETTINGS, StoredSettings)
    if version == deps.settings.version:
        return
    values = _opened(deps.vault, stored)
    try:
        deps.settings.set(version, values)
    except InvalidFields as wrong:
        # Stored by a version with other rules: the service goes on without them.
        names = sorted(wrong.fields or {})
        log.warning("settings of the console are not valid, their defaults are used", settings=names)
        deps.settings.set(version, {name: text for name, text in values.items() if name not in names})


async def load(db: Database, vault: Vault) -> dict[str, str]:
    """What was set in the console."""
    async with db.read() as tx:
        return _opened(vault, await settings_db.get(tx, SETTINGS, StoredSettings))


async def save(deps: Deps, changes: Mapping[str, str]) -> tuple[StoreSettings, StoreSettings]:
    """The settings before and after; an empty text restores the default. InvalidFields says what cannot be."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        stored = await settings_db.get_for_update(tx, SETTINGS, StoredSettings, now)
        await refresh(deps)
        before, values = deps.settings.value, {**_opened(deps.vault, stored), **changes}
        values = {name: text for name, text in values.items() if text}
        after = deps.settings.compose(values)
        if after.currency != before.currency and await orders_db.exist(tx):
            raise invalid("currency", _COUNTED)
        if "smtp_url" in values and not after.identity.has_mail_server:
            raise invalid("mail_from", _NO_SENDER)
        sealed = {name: deps.vault.seal(values[name], _PURPOSE) for name in _SECRETS if name in values}
        await settings_db.put(tx, SETTINGS, StoredSettings(values | sealed), now)
        if not changes.keys().isdisjoint(("smtp_url", "mail_from")):
            await _note(tx, MailTest(), now)
    return before, after


async def seal_again(deps: Deps) -> None:
    """What another key than the current one has sealed."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        stored = await settings_db.get_for_update(tx, SETTINGS, StoredSettings, now)
        values = {name: stored.values[name] for name in _SECRETS if name in stored.values}
        if all(sealed.startswith(deps.vault.prefix) for sealed in values.values()):
            return
        again = {name: deps.vault.seal(deps.vault.open(sealed, _PURPOSE), _PURPOSE) for name, sealed in values.items()}
        await settings_db.put(tx, SETTINGS, StoredSettings(stored.values | again), now)


async def set_logo(deps: Deps, new: Logo) -> tuple[StoreSettings, StoreSettings]:
    """The settings before and after; a logo without a name takes it away."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await settings_db.get_for_update(tx, LOGO, Logo, now)
        await settings_db.put(tx, LOGO, new, now)
        return await save(replace(deps, db=JoinedDatabase(tx)), {"store_logo": new.name})


async def logo(deps: Deps) -> Logo:
    async with deps.db.read() as tx:
        return await settings_db.get(tx, LOGO, Logo)


async def test_mail(deps: Deps, to_email: str) -> MailTest:
    """Sends an e-mail at once, not through the queue, and stores what the server answered."""
    emails_rules.require_server(deps.store.has_mail_server)
    begun, now = deps.clock.monotonic(), deps.clock.now()
    new = emails_views.render("mail_test", deps.store, to_email, "")
    email = Email(to_email, "", None, None, new.subject, new.text, new.html, f"test.{now}")
    mailer = deps.settings.mailer()
    try:
        result = await mailer.send(email)
    finally:
        await mailer.close()
    milliseconds = round((deps.clock.monotonic() - begun) * 1000)
    test = store_settings_rules.tested(result, to_email, milliseconds, now)
    async with deps.db.write() as tx:
        await _note(tx, test, now)
    return test


async def _note(tx: Transaction, test: MailTest, now: Instant) -> None:
    await settings_db.get_for_update(tx, MAIL_TEST, MailTest, now)
    await settings_db.put(tx, MAIL_TEST, test, now)


def _opened(vault: Vault, stored: StoredSettings) -> dict[str, str]:
    opened = {name: vault.open(stored.values[name], _PURPOSE) for name in _SECRETS if name in stored.values}
    return stored.values | opened
