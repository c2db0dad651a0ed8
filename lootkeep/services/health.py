"""Whether everything that the service depends on works; each sentence says what to do."""

from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from lootkeep.domain.fraud.policy import SETTINGS as FRAUD_SETTINGS
from lootkeep.domain.fraud.policy import Policy
from lootkeep.engines.emails import Mailer
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.intelligence import advice as list_advice
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.services import secret_key
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage import demo, fraud_advice, migrations
from lootkeep.storage import settings as stored_settings
from lootkeep.storage.engine import write_check
from lootkeep.storage.engine.database import Engine

# Of fewer new buyers nothing is concluded.
_MIN_BUYERS = 30

_NOT_WRITABLE = (
    "The database answers, but nothing can be written. Check that its disk is not full, that it is not read-only, "
    "and that no other program holds it."
)

# Opens the database for a check, or lends the one that is open.
Opened = Callable[[], AbstractAsyncContextManager[Engine]]


class Finding(NamedTuple):
    what: str
    is_good: bool
    sentence: str


class Config(Protocol):
    """What the checks need of the settings."""

    @property
    def environment(self) -> str: ...
    @property
    def rate_limit_per_minute(self) -> int: ...
    @property
    def sqlite_path(self) -> Path | None: ...
    @property
    def listen_url(self) -> str | None: ...
    @property
    def key_sources(self) -> tuple[str | None, Path | None]: ...
    @property
    def redis_url(self) -> str | None: ...
    @property
    def smtp_url(self) -> object | None: ...
    @property
    def public_url(self) -> str | None: ...
    @property
    def data_dir(self) -> Path: ...


async def examine(
    config: Config, opened: Opened | None, mailer: Mailer, intelligence: Intelligence, now: Instant
) -> list[Finding]:
    """Looks at everything; without `opened` there is no database yet."""
    database, key = await _database(config, opened, now)
    findings = [_safety(config), database, key, *_files(config), await _redis(config), await _mail(config, mailer)]
    if database.is_good and opened is not None:
        findings += [await _alerts(opened), *await _accounts(opened)]
    return [*findings, *_lists(config, intelligence, now)]


def _safety(config: Config) -> Finding:
    if config.environment == "production" and not config.rate_limit_per_minute:
        return Finding("settings", False, "The rate limit is off in production: set LOOTKEEP_RATE_LIMIT_PER_MINUTE.")
    return Finding("settings", True, f"The settings hold together ({config.environment}).")


async def _database(config: Config, opened: Opened | None, now: Instant) -> tuple[Finding, Finding]:
    """The database, and the key to it."""
    if opened is None:
        sentence = f"There is no database at {config.sqlite_path} yet; `lootkeep serve` makes it."
        return Finding("database", True, sentence), Finding("key", True, "There is nothing to open yet.")
    try:
        async with opened() as engine:
            await migrations.check(engine)
            async with engine.read() as tx:
                mark = await demo.mark(tx)
            is_writable = await _is_writable(engine, now)
            key = await _key(config, engine)
    except StartupError as error:
        return _broken(str(error))
    except Unavailable:
        return _broken("The database does not answer. Check its server, its disk and its files.")
    if not is_writable:
        return Finding("database", False, _NOT_WRITABLE), key
    if not config.sqlite_path and not config.listen_url:
        pooled = " Behind the pooler workers look for work every five seconds: LOOTKEEP_DATABASE_DIRECT_URL is not set."
    else:
        pooled = ""
    holds = f" It holds the demo ({mark.scale}, seed {mark.seed})." if mark.is_begun else ""
    sentence = f"The database answers and its schema is up to date ({migrations.HEAD}).{holds}{pooled}"
    return Finding("database", True, sentence), key


async def _accounts(opened: Opened) -> list[Finding]:
    """Proposes a setting; nothing is wrong when it is not taken."""
    async with opened() as engine, engine.read(slow=True) as tx:
        policy = await stored_settings.get(tx, FRAUD_SETTINGS, Policy)
        buyers, at_once = await fraud_advice.first_orders(tx)
    if policy.fraud_accounts_made_at_checkout or buyers < _MIN_BUYERS or 3 * at_once <= buyers:
        return []
    sentence = (
        f"{at_once} of the last {buyers} new buyers ordered within a minute of signing up. If your checkout makes the "
        "account, set fraud_accounts_made_at_checkout with PUT /fraud/settings."
    )
    return [Finding("accounts", True, sentence)]


async def _alerts(opened: Opened) -> Finding:
    async with opened() as engine, engine.read() as tx:
        alerts = await alerts_db.all_alerts(tx)
    failing = [f"{alert.name} ({alert.reason})" for alert in alerts if alert.failures]
    if failing:
        return Finding("alerts", False, f"These cannot be sent: {', '.join(failing)}. Check where they lead.")
    sentence = (
        f"{len(alerts)} set, none fails." if alerts else "None is set: nobody is notified of held orders or faults."
    )
    return Finding("alerts", True, sentence)


def _broken(sentence: str) -> tuple[Finding, Finding]:
    return Finding("database", False, sentence), Finding("key", True, "Not looked at: the database comes first.")


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
        return Finding("key", False, str(error))
    if vault is None:
        return Finding("key", True, "There is no secret key yet; `lootkeep serve` makes it.")
    return Finding("key", True, "The secret key is the one that the database knows.")


def _files(config: Config) -> list[Finding]:
    """Who may read an embedded database and its key. A group is a choice of the owner; everybody is an oversight."""
    path = config.sqlite_path
    if path is None or not path.exists():
        return []
    paths = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", ".key")))
    wide = [str(path) for path in paths if path.exists() and stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXO]
    if wide:
        return [Finding("files", False, f"Everybody on this machine may use them: run `chmod 600 {' '.join(wide)}`.")]
    return [Finding("files", True, "Only their owner, or a group, may read the database and its key.")]


async def _redis(config: Config) -> Finding:
    if not config.redis_url:
        return Finding("redis", True, "LOOTKEEP_REDIS_URL is not set: each process counts requests for itself.")
    from redis.asyncio import Redis
    from redis.exceptions import RedisError

    client: Redis = Redis.from_url(config.redis_url, socket_connect_timeout=2, socket_timeout=2)
    try:
        await client.ping()
    except (RedisError, OSError) as error:
        return Finding("redis", False, f"Redis does not answer ({error}). Check LOOTKEEP_REDIS_URL.")
    finally:
        await client.aclose()
    return Finding("redis", True, "Redis answers.")


def _lists(config: Config, intelligence: Intelligence, now: Instant) -> list[Finding]:
    """What is missing is no error, it is only said; a list that grew old or cannot be read is one."""
    findings = []
    for need, sources in intelligence.status().items():
        todo = list_advice.advice(need, sources, now, str(config.data_dir))
        words = [", ".join(list_advice.described(source, need, now) for source in sources) + ".", todo]
        sentence = " ".join(word for word in words[not sources :] if word)
        findings.append(Finding(need, not (sources and todo), sentence))
    refused = [Finding("lists", False, f"{item.file} {item.sentence}") for item in intelligence.rejections()]
    return findings + refused


async def _mail(config: Config, mailer: Mailer) -> Finding:
    if config.smtp_url is None:
        return Finding("mail", True, "LOOTKEEP_SMTP_URL is not set: mail stays in the outbox, nothing is sent.")
    error = await mailer.check()
    await mailer.close()
    if error:
        return Finding("mail", False, f"Mail cannot be sent: {error}. Check LOOTKEEP_SMTP_URL.")
    if config.environment == "production" and not (config.public_url or "").startswith("https://"):
        return Finding("mail", False, "Links in e-mails need an https address: set LOOTKEEP_PUBLIC_URL.")
    return Finding("mail", True, "The mail server answers and lets us in.")
