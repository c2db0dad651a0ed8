"""`lootkeep doctor`: looks at everything the service leans on; each line says what to do."""

from __future__ import annotations

import stat
import sys
from typing import Annotated, NamedTuple

import typer
from rich.markup import escape

from lootkeep import settings, wiring
from lootkeep.cli import fraud_lists
from lootkeep.cli.output import Json, out, print_json, run, waiting
from lootkeep.domain.fraud.policy import SETTINGS as FRAUD_SETTINGS
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.services import recount, secret_key
from lootkeep.settings import Settings
from lootkeep.storage import demo, fraud_advice, migrations
from lootkeep.storage import settings as stored_settings
from lootkeep.storage.engine import write_check
from lootkeep.storage.engine.database import Engine

# Of fewer new buyers nothing is concluded.
_MIN_BUYERS = 30
# What a store is opened with.
_NEEDED = ("settings", "database", "key", "redis")

_NOT_WRITABLE = (
    "The database answers, but nothing can be written. Check that its disk is not full, that it is not read-only, "
    "and that no other program holds it."
)


class Finding(NamedTuple):
    what: str
    is_good: bool
    sentence: str


def doctor(
    check_counters: Annotated[
        bool, typer.Option("--check-counters", help="Count all kept totals again and compare.")
    ] = False,
    rebuild_counters: Annotated[
        bool, typer.Option("--rebuild-counters", help="Count all kept totals again and mend those that are wrong.")
    ] = False,
    json: Json = False,
) -> None:
    """Check the settings, the database, the key, Redis, mail and the lists. Exits with 1 when something is wrong."""
    with waiting("Looking at the database, Redis, mail and the lists"):
        findings = run(_examine())
    if check_counters or rebuild_counters:
        with waiting("Counting all kept totals again"):
            findings.append(_counted(findings, rebuild=rebuild_counters))
    if json:
        print_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            mark = "[green]ok  [/]" if finding.is_good else "[bold red]bad [/]"
            out.print(f"{mark}  {finding.what:<10} {escape(finding.sentence)}")
    if not all(finding.is_good for finding in findings):
        sys.exit(1)


def _counted(findings: list[Finding], *, rebuild: bool) -> Finding:
    """A list that cannot be read is no reason not to count, but a store that cannot be opened is."""
    if all(finding.is_good for finding in findings if finding.what in _NEEDED):
        return run(_counters(rebuild=rebuild))
    return Finding("counters", False, "Nothing was counted: mend what is bad about the store first.")


async def _counters(*, rebuild: bool) -> Finding:
    config = settings.load()
    if config.sqlite_path and not config.sqlite_path.exists():
        return Finding("counters", True, "There is nothing to count yet.")
    async with wiring.opened(config) as deps:
        wrong = await (recount.rebuild(deps) if rebuild else recount.check(deps))
    if not any(wrong.values()):
        return Finding("counters", True, "Every kept total equals a recount.")
    told = ", ".join(f"{count} of {kind}" for kind, count in wrong.items() if count)
    if rebuild:
        return Finding("counters", True, f"Kept totals that were wrong are mended: {told}.")
    return Finding("counters", False, f"Kept totals are wrong: {told}. Run `lootkeep doctor --rebuild-counters`.")


async def _examine() -> list[Finding]:
    try:
        config = settings.load()
        wiring.check_settings(config)
    except StartupError as error:
        return [Finding("settings", False, str(error))]
    database, key = await _database(config)
    findings = [_safety(config), database, key, *_files(config), await _redis(config), await _mail(config)]
    if database.is_good and (config.sqlite_path is None or config.sqlite_path.exists()):
        findings += await _accounts(config)
    return [*findings, *_lists(config)]


def _safety(config: Settings) -> Finding:
    if config.environment == "production" and not config.rate_limit_per_minute:
        return Finding("settings", False, "The rate limit is off in production: set LOOTKEEP_RATE_LIMIT_PER_MINUTE.")
    return Finding("settings", True, f"The settings hold together ({config.environment}).")


async def _database(config: Settings) -> tuple[Finding, Finding]:
    """The database, and the key to it."""
    if config.sqlite_path and not config.sqlite_path.exists():
        sentence = f"There is no database at {config.sqlite_path} yet; `lootkeep serve` makes it."
        return Finding("database", True, sentence), Finding("key", True, "There is nothing to open yet.")
    try:
        engine = await wiring.open_database(config)
        try:
            await migrations.check(engine)
            async with engine.read() as tx:
                mark = await demo.mark(tx)
            is_writable = await _is_writable(engine)
            key = await _key(config, engine)
        finally:
            await engine.close()
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


async def _accounts(config: Settings) -> list[Finding]:
    """Proposes a setting; nothing is wrong when it is not taken."""
    engine = await wiring.open_database(config)
    try:
        async with engine.read(slow=True) as tx:
            policy = await stored_settings.get(tx, FRAUD_SETTINGS, Policy)
            buyers, at_once = await fraud_advice.first_orders(tx)
    finally:
        await engine.close()
    if policy.fraud_accounts_made_at_checkout or buyers < _MIN_BUYERS or 3 * at_once <= buyers:
        return []
    sentence = (
        f"{at_once} of the last {buyers} new buyers ordered within a minute of signing up. If your checkout makes the "
        "account, set fraud_accounts_made_at_checkout with PUT /fraud/settings."
    )
    return [Finding("accounts", True, sentence)]


def _broken(sentence: str) -> tuple[Finding, Finding]:
    return Finding("database", False, sentence), Finding("key", True, "Not looked at: the database comes first.")


async def _is_writable(engine: Engine) -> bool:
    try:
        await write_check.write(engine, SystemClock().now())
    except Unavailable:
        return False
    return True


async def _key(config: Settings, engine: Engine) -> Finding:
    try:
        vault = await secret_key.find(engine, *config.key_sources)
    except StartupError as error:
        return Finding("key", False, str(error))
    if vault is None:
        return Finding("key", True, "There is no secret key yet; `lootkeep serve` makes it.")
    return Finding("key", True, "The secret key is the one that the database knows.")


def _files(config: Settings) -> list[Finding]:
    """Who may read an embedded database and its key. A group is a choice of the owner; everybody is an oversight."""
    path = config.sqlite_path
    if path is None or not path.exists():
        return []
    paths = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", ".key")))
    wide = [str(path) for path in paths if path.exists() and stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXO]
    if wide:
        return [Finding("files", False, f"Everybody on this machine may use them: run `chmod 600 {' '.join(wide)}`.")]
    return [Finding("files", True, "Only their owner, or a group, may read the database and its key.")]


async def _redis(config: Settings) -> Finding:
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


def _lists(config: Settings) -> list[Finding]:
    """What is missing is no fault, it is only said; a list that grew old or cannot be read is one."""
    intelligence = wiring.intelligence(config)
    now = SystemClock().now()
    findings = []
    for need, sources in intelligence.status().items():
        todo = fraud_lists.advice(need, sources, now, str(config.data_dir))
        words = [", ".join(fraud_lists.described(source, need, now) for source in sources) + ".", todo]
        sentence = " ".join(word for word in words[not sources :] if word)
        findings.append(Finding(need, not (sources and todo), sentence))
    refused = [Finding("lists", False, f"{item.file} {item.sentence}") for item in intelligence.rejections()]
    return findings + refused


async def _mail(config: Settings) -> Finding:
    if config.smtp_url is None:
        return Finding("mail", True, "LOOTKEEP_SMTP_URL is not set: mail stays in the outbox, nothing is sent.")
    mailer = wiring.mailer(config, SystemClock())
    fault = await mailer.check()
    await mailer.close()
    if fault:
        return Finding("mail", False, f"Mail cannot be sent: {fault}. Check LOOTKEEP_SMTP_URL.")
    if config.environment == "production" and not (config.public_url or "").startswith("https://"):
        return Finding("mail", False, "Links in mails need an https address: set LOOTKEEP_PUBLIC_URL.")
    return Finding("mail", True, "The mail server answers and lets us in.")
