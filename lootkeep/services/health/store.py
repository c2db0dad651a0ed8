"""The database, its key, and what the stored data says about workers, clocks and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from lootkeep.domain import retention as retention_rules
from lootkeep.domain.alerts import Alert
from lootkeep.domain.fraud.policy import SETTINGS as FRAUD_SETTINGS, Policy
from lootkeep.domain.receivers import Receiver
from lootkeep.domain.servers import Server, ServerQueue
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Clock, Instant
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.kernel.wording import plural
from lootkeep.services import key_rotation, receivers, secret_key
from lootkeep.services.health.finding import Config, Finding
from lootkeep.storage import (
    alerts as alerts_db,
    demo as demo_db,
    emails as emails_db,
    migrations,
    settings as settings_db,
)
from lootkeep.storage.campaigns import queue as campaign_queue_db
from lootkeep.storage.engine import server_clock, write_check
from lootkeep.storage.engine.database import Engine, Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import advice as fraud_advice_db
from lootkeep.storage.goods import servers as servers_db, waiting as waiting_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.webhooks import deliveries as deliveries_db, fan_out as fan_out_db

# With fewer new buyers nothing is suggested.
_MIN_BUYERS = 30
# A worker polls at least every five seconds; anything that waits longer than this waits for a worker.
_LATE = 5 * MINUTE
_VERY_LATE = 60 * MINUTE
_CLOCK_TOLERANCE = 2 * SECOND

_NOT_WRITABLE = (
    "The database answers, but nothing can be written. Check that its disk is not full, that it is not read-only, "
    "and that no other program holds it."
)

# Opens the database for a check, or uses the open one.
OpenDatabase = Callable[[], AbstractAsyncContextManager[Engine]]


async def database(config: Config, opened: OpenDatabase | None, now: Instant) -> tuple[Finding, Finding]:
    """The database, and the key to it."""
    if opened is None:
        sentence = f"There is no database at {config.sqlite_path} yet; `lootkeep serve` creates it."
        return Finding("database", "ok", sentence), Finding("key", "ok", "There is nothing to open yet.")
    try:
        async with opened() as engine:
            await migrations.check(engine)
            async with engine.read() as tx:
                mark = await demo_db.mark(tx)
            is_writable = await _is_writable(engine, now)
            key = await _key(config, engine)
    except StartupError as error:
        return _broken(str(error))
    except Unavailable:
        return _broken("The database does not answer. Check its server, its disk and its files.")
    if not is_writable:
        return Finding("database", "bad", _NOT_WRITABLE), key
    if not config.sqlite_path and not config.listen_url:
        pooled = " Behind the pooler, workers poll every five seconds: LOOTKEEP_DATABASE_DIRECT_URL is not set."
    else:
        pooled = ""
    holds = f" It contains the demo ({mark.scale}, seed {mark.seed})." if mark.is_begun else ""
    sentence = f"The database answers and its schema is up to date ({migrations.HEAD}).{holds}{pooled}"
    return Finding("database", "ok", sentence), key


async def is_demo(opened: OpenDatabase) -> bool:
    async with opened() as engine, engine.read() as tx:
        return (await demo_db.mark(tx)).is_begun


def _broken(sentence: str) -> tuple[Finding, Finding]:
    return Finding("database", "bad", sentence), Finding("key", "ok", "Not checked: fix the database first.")


async def _is_writable(engine: Engine, now: Instant) -> bool:
    try:
        await write_check.write(engine, now)
    except Unavailable:
        return False
    return True


async def _key(config: Config, engine: Engine) -> Finding:
    try:
        vault = await secret_key.find(engine, *config.key_sources)
    except StartupError as error:
        return Finding("key", "bad", str(error))
    if vault is None:
        return Finding("key", "ok", "There is no secret key yet; `lootkeep serve` creates it.")
    left = await key_rotation.count_left(engine, vault)
    if left is None:
        return Finding("key", "ok", "The secret key matches the database.")
    if left:
        progress = f"{plural(left, 'value')} left to seal. Run `lootkeep key rotate` again to go on."
    else:
        progress = (
            "everything is sealed with the new key, and the old one is still valid. Restart every process with the "
            "new one, if it is in the settings, then run `lootkeep key rotate` to end the old one."
        )
    return Finding("key", "warning", f"A rotation of the secret key is under way: {progress}")


async def contents(opened: OpenDatabase, clock: Clock) -> list[Finding]:
    """What the stored data shows about workers, the clock, and settings that do not fit."""
    now = clock.now()
    async with opened() as engine, engine.read(slow=True) as tx:
        policy = await settings_db.get(tx, FRAUD_SETTINGS, Policy)
        accounts = _accounts(policy, *await fraud_advice_db.first_orders(tx))
        waits = {
            "event": await fan_out_db.oldest_waiting(tx),
            "delivery": (await deliveries_db.backlog(tx, now))[1],
            "e-mail": await emails_db.QUEUE.next_due(tx),
            "payment event": await payment_events_db.QUEUE.next_due(tx),
            "campaign e-mail": await campaign_queue_db.next_due(tx),
        }
        loaded_at = (await demo_db.mark(tx)).loaded_at
        goods = [*_keys(await waiting_db.count(tx)), *_servers(await _game_servers(tx), now)]
        payments = _payments(await payment_events_db.count_unmatched(tx))
        alerts = _alerts(await alerts_db.ROWS.find(tx))
        newest = await outbox_db.newest_at(tx)
        # The database may be far away, or slow.
        before, server_time, after = clock.now(), await server_clock.now(tx), clock.now()
        webhooks = _webhooks(await receivers.failing(tx, now), now)
        record = await settings_db.get(tx, retention_rules.CLOCK, retention_rules.ClockRecord)
    times = _clock(newest, server_time, before, after)
    times.append(_retention(retention_rules.pause_reason(record, server_time, now)))
    return [_queues(waits, loaded_at or Instant(0), now), *goods, *payments, alerts, *times, *accounts, *webhooks]


def _queues(waits: Mapping[str, Instant | None], since: Instant, now: Instant) -> Finding:
    """What the year of a demo has left waits `since` it was loaded."""
    ages = {what: now - max(due, since) for what, due in waits.items() if due is not None}
    late = {what: age for what, age in ages.items() if age > _LATE}
    if not late:
        return Finding("worker", "ok", "Nothing waits for a worker.")
    what, wait = max(late.items(), key=lambda item: item[1])
    sentence = f"The oldest {what} has waited for {wait // MINUTE} minutes. Is a worker running, and keeping up?"
    return Finding("worker", "bad" if wait > _VERY_LATE else "warning", sentence)


def _keys(waiting: int) -> list[Finding]:
    if not waiting:
        return []
    lines = plural(waiting, "paid line waits", "paid lines wait")
    return [Finding("keys", "warning", f"{lines} for keys: add keys to their products.")]


def _payments(unmatched: int) -> list[Finding]:
    if not unmatched:
        return []
    events = plural(unmatched, "payment event fits", "payment events fit")
    return [Finding("payments", "warning", f"{events} no order: look under Payments in the console.")]


async def _game_servers(tx: Transaction) -> list[tuple[Server, ServerQueue]]:
    queues = await servers_db.queues(tx)
    return [(server, queues.get(server.id, ServerQueue())) for server in await servers_db.ROWS.find(tx)]


def _servers(servers: Sequence[tuple[Server, ServerQueue]], now: Instant) -> list[Finding]:
    """Those that no longer ask for commands, and those on which commands failed."""
    sentences = []
    for server, queue in servers:
        if server.is_silent(now):
            hours = (now - (server.last_seen_at or now)) // HOUR
            sentences.append(
                f"{server.name} has not asked for commands for {hours} h ({queue.waiting} waiting): is its connector "
                "running?"
            )
        if queue.failed:
            sentences.append(
                f"Commands failed on {server.name} ({queue.failed}): look at them in the console, then send them again "
                "or fulfil their orders."
            )
    return [Finding("servers", "warning", sentence) for sentence in sentences]


def _alerts(alerts: Sequence[Alert]) -> Finding:
    failing = [f"{alert.name} ({alert.reason})" for alert in alerts if alert.failures]
    if failing:
        return Finding("alerts", "warning", f"These cannot be sent: {', '.join(failing)}. Check their targets.")
    sentence = (
        f"{len(alerts)} set, none fails." if alerts else "There are none: nobody is notified of held orders or errors."
    )
    return Finding("alerts", "ok", sentence)


def _clock(newest: Instant | None, server_time: Instant | None, before: Instant, after: Instant) -> list[Finding]:
    """Times are compared with a tolerance: machines with a time service differ by less than a second."""
    if newest is not None and newest - after > _CLOCK_TOLERANCE:
        seconds = (newest - after) // SECOND
        return [Finding("clock", "bad", f"The newest event is {seconds} s in the future: set this machine's clock.")]
    if server_time is None:
        return []
    seconds = max(before - server_time, server_time - after) // SECOND
    if seconds * SECOND > _CLOCK_TOLERANCE:
        sentence = f"This machine and the database differ by {seconds} s: run a time service on both."
        return [Finding("clock", "warning", sentence)]
    return [Finding("clock", "ok", "This machine and the database agree about the time.")]


def _retention(reason: str | None) -> Finding:
    return Finding("retention", "warning" if reason else "ok", reason or "Old data is deleted when it is due.")


def _accounts(policy: Policy, buyers: int, at_once: int) -> list[Finding]:
    """Suggests a setting."""
    if policy.fraud_accounts_made_at_checkout or buyers < _MIN_BUYERS or 3 * at_once <= buyers:
        return []
    sentence = (
        f"{at_once} of the last {buyers} new buyers ordered within a minute of signing up. If your checkout creates "
        "the account, set fraud_accounts_made_at_checkout with PUT /fraud/settings."
    )
    return [Finding("accounts", "warning", sentence)]


def _webhooks(failing: Sequence[Receiver], now: Instant) -> list[Finding]:
    """Receivers that have failed for more than a day. They stay active: only people disable a webhook."""
    return [
        Finding(
            "webhooks",
            "warning",
            f"Webhook {receiver.id} ({receiver.name}) has failed for {(now - receiver.failing_since) // HOUR} "
            "hours: fix its receiver and replay what it missed, or deactivate it.",
        )
        for receiver in failing
        if receiver.failing_since is not None and now - receiver.failing_since > DAY
    ]
