"""Opens a store: its database and all dependencies of operations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, cast

import structlog

from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.commands import CommandRules
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.store_settings import StoreSettings
from lootkeep.domain.webhooks import WebhookRules, reachable
from lootkeep.engines import key_file, logs
from lootkeep.engines.demo_receivers import DemoReceivers, NoAddresses
from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.message import parse_sender
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.openid import OpenIdProvider
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.ratelimit import RateLimiter
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.kernel.clock import Clock, Instant, SystemClock
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.kernel.ids import RandomIds
from lootkeep.services import (
    access as access_service,
    secret_key as secret_key_service,
    settings as settings_service,
    webhooks as webhooks_service,
)
from lootkeep.settings import Settings, closed, effective, in_effect, texts
from lootkeep.storage import demo as demo_db, migrations
from lootkeep.storage.backup import sqlite as sqlite_backup
from lootkeep.storage.demo import Demo
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from lootkeep.storage.engine.postgres import PostgresDatabase
    from lootkeep.storage.engine.postgres_replica import Replica

log = structlog.get_logger(__name__)

# The keys of a large provider.
_MAX_PROVIDER_BYTES = 256 * 1024
DEMO_NAME = "Pixel Forge"


async def open_database(settings: Settings) -> Engine:
    if settings.sqlite_path:
        return SqliteDatabase(settings.sqlite_path)
    # An embedded store does not load the driver.
    from lootkeep.storage.engine.postgres import PostgresDatabase

    return await PostgresDatabase.open(
        settings.database_url,
        settings.database_connections,
        is_pooled=settings.database_pooler == "transaction",
        direct_url=settings.database_direct_url,
    )


def open_replica(settings: Settings, engine: Engine) -> Replica | None:
    """Tried in the background: a store starts and works without its replica."""
    url = settings.read_database_url
    if not url or isinstance(engine, SqliteDatabase):
        return None
    from lootkeep.storage.engine.postgres_replica import Replica

    primary, is_pooled = cast("PostgresDatabase", engine), settings.database_pooler == "transaction"
    replica = Replica.of(primary, url, settings.database_connections, settings.read_max_lag, is_pooled=is_pooled)
    replica.start()
    return replica


async def upgrade(settings: Settings, engine: Engine, *, with_copy: bool) -> Path | None:
    """Migrates the schema. An embedded database with data is copied first, to the returned file."""
    path, current = settings.sqlite_path, await migrations.revision(engine)
    copy = None
    if with_copy and path and current not in {None, migrations.HEAD}:
        copy = await asyncio.to_thread(sqlite_backup.write_before_upgrade, path, current, SystemClock().now())
    await migrations.upgrade(engine)
    return copy


@asynccontextmanager
async def opened(settings: Settings, *, may_create: bool = False) -> AsyncIterator[Deps]:
    """Deps on a database that is ready: the embedded one is migrated here, PostgreSQL by `lootkeep migrate`."""
    check_settings(settings)
    engine = await open_database(settings)
    limiter, replica = _limiter(settings), open_replica(settings, engine)
    outbound, openid = None, None
    try:
        await _make_ready(settings, engine, may_create=may_create)
        settings = await _as_served(settings, engine)
        async with engine.read() as tx:
            demo = await demo_db.mark(tx)
        settings = closed(settings) if demo.is_open_house else settings
        outbound, openid = make_outbound(settings, demo), openid_provider(settings)
        deps = Deps(
            SystemClock(),
            RandomIds(),
            engine,
            limiter,
            await secret_key_service.open_vault(engine, *settings.key_sources, SystemClock().now()),
            outbound,
            webhook_rules(settings),
            current_settings(settings, SystemClock(), is_demo=demo.is_begun),
            intelligence(settings),
            demo=demo,
            replica=replica,
            openid=openid,
            commands=CommandRules(settings.command_lease_seconds, settings.command_retry_delays),
        )
        await settings_service.refresh(deps)
        await access_service.ensure_owner(deps)
        yield deps
    finally:
        # The last first; one that fails to close leaves none open.
        async with AsyncExitStack() as stack:
            for resource in (engine, replica, limiter, openid, outbound):
                if resource is not None:
                    stack.push_async_callback(resource.close)


async def _as_served(settings: Settings, engine: Engine) -> Settings:
    """A command permits the receivers that the running service permits: `lootkeep serve --dev` stores that."""
    if settings.environment == "production" or settings.webhook_allow_insecure:
        return settings
    mode = await webhooks_service.mode(engine)
    return settings.model_copy(update={"webhook_allow_insecure": mode.allow_insecure})


async def _make_ready(settings: Settings, engine: Engine, *, may_create: bool) -> None:
    """An empty PostgreSQL database gets its schema only if a store may be created: it may be the wrong one."""
    if settings.sqlite_path:
        if copy := await upgrade(settings, engine, with_copy=True):
            # Commands print to stdout, and usually log nothing.
            logs.configure(settings.log_level, settings.log_format)
            log.info("the database was upgraded", schema=migrations.HEAD, copy=str(copy))
    elif may_create and await migrations.revision(engine) is None:
        await migrations.upgrade(engine)
    else:
        await migrations.check(engine)


def make_outbound(settings: Settings, demo: Demo) -> Outbound:
    allowed = reachable(webhook_rules(settings))
    if not demo.is_begun:
        return Outbound(allowed)
    # The receivers of the demo exist in this process only.
    resolver = NoAddresses() if demo.is_open_house else None
    return DemoReceivers(Random(), SystemClock(), Instant(0), allowed, resolver)  # noqa: S311


def current_settings(settings: Settings, clock: Clock, *, is_demo: bool = False) -> CurrentSettings:
    """Those of the environment, with what the console has set where they set nothing."""

    def compose(stored: Mapping[str, str]) -> StoreSettings:
        now = effective(settings, stored)
        return StoreSettings(
            _identity(now, stored.get("store_logo"), is_demo=is_demo),
            now.currency,
            now.timezone,
            now.events_kept_days,
            now.mails_kept_days,
            now.campaign_mails_per_minute,
            now.campaign_tracking,
            texts(now),
            tuple(in_effect(settings, stored)),
        )

    return CurrentSettings(compose, lambda stored: mailer(effective(settings, stored), clock))


def _identity(settings: Settings, logo: str | None, *, is_demo: bool) -> StoreIdentity:
    """The demo has a name of its own, unless the settings name the store."""
    sender = parse_sender(settings.mail_from).name if settings.mail_from else ""
    path = f"/o/logo/{logo}" if logo else None
    logo_url = f"{settings.public_url}{path}" if path and settings.public_url else None
    return StoreIdentity(
        settings.store_name or sender or (DEMO_NAME if is_demo else StoreIdentity().name),
        settings.public_url or f"http://{settings.host}:{settings.port}",
        settings.store_url,
        settings.store_logo_url or logo_url,
        settings.store_postal_address,
        settings.store_mail_reason,
        has_mail_server=settings.smtp_url is not None and settings.mail_from is not None,
        has_public_url=settings.public_url is not None,
        colour=settings.store_colour,
        sends_order_emails=settings.order_emails,
        logo=path,
    )


async def stored_settings(settings: Settings) -> dict[str, str] | None:
    """What was set in the console, for commands that change nothing; None if the store cannot be read."""
    if settings.sqlite_path and not settings.sqlite_path.exists():
        return {}
    async with AsyncExitStack() as stack:
        try:
            engine = await open_database(settings)
            stack.push_async_callback(engine.close)
            await migrations.check(engine)
            vault = await secret_key_service.find(engine, *settings.key_sources)
            return await settings_service.load(engine, vault) if vault else {}
        except (StartupError, Unavailable):
            return None


def openid_provider(settings: Settings) -> OpenIdProvider | None:
    if not settings.oidc_issuer:
        return None
    return OpenIdProvider(
        settings.oidc_issuer,
        settings.oidc_client_id or "",
        settings.oidc_client_secret.get_secret_value() if settings.oidc_client_secret else "",
        Outbound(settings.oidc_allowed_networks, max_read=_MAX_PROVIDER_BYTES),
        scopes=settings.oidc_scopes,
        group_claim=settings.oidc_group_claim,
        roles=settings.oidc_roles,
    )


def check_settings(settings: Settings) -> None:
    """Rejects settings that cannot work or are not safe, with a sentence that says what to set."""
    if settings.environment == "production" and settings.webhook_allow_insecure:
        raise StartupError("LOOTKEEP_WEBHOOK_ALLOW_INSECURE must not be set in production: it permits http receivers.")
    if settings.secret_key is None and (settings.sqlite_path is None or settings.environment == "production"):
        where = "with PostgreSQL" if settings.sqlite_path is None else "in production"
        raise StartupError(
            f"LOOTKEEP_SECRET_KEY must be set {where}: at least 32 random characters, the same for every process. "
            "`openssl rand -hex 32` generates one."
        )
    key = settings.key_sources[0]
    if settings.environment == "production" and key and key_file.is_guessable(key):
        raise StartupError(
            "LOOTKEEP_SECRET_KEY is too easy to guess for production: it repeats a few characters. "
            "`openssl rand -hex 32` generates a random one."
        )
    _check_sign_in(settings)
    if settings.read_database_url and settings.sqlite_path:
        raise StartupError("LOOTKEEP_READ_DATABASE_URL needs PostgreSQL: an embedded database has no replica.")
    if settings.smtp_url is not None and settings.mail_from is None:
        raise StartupError("LOOTKEEP_MAIL_FROM must be set with LOOTKEEP_SMTP_URL, such as Shop <shop@example.com>.")


def _check_sign_in(settings: Settings) -> None:
    if settings.oidc_issuer and not (settings.oidc_client_id and settings.oidc_client_secret and settings.oidc_roles):
        raise StartupError(
            "LOOTKEEP_OIDC_ISSUER needs LOOTKEEP_OIDC_CLIENT_ID, LOOTKEEP_OIDC_CLIENT_SECRET and LOOTKEEP_OIDC_ROLES."
        )
    if settings.proxy_auth_header and not settings.proxy_auth_networks:
        raise StartupError("LOOTKEEP_PROXY_AUTH_HEADER needs LOOTKEEP_PROXY_AUTH_NETWORKS: else anyone could send it.")
    if bool(settings.proxy_auth_groups_header) != bool(settings.proxy_auth_roles):
        raise StartupError("LOOTKEEP_PROXY_AUTH_GROUPS_HEADER and LOOTKEEP_PROXY_AUTH_ROLES need each other.")
    if not (settings.password_sign_in or settings.oidc_issuer or settings.proxy_auth_header):
        raise StartupError(
            "LOOTKEEP_PASSWORD_SIGN_IN=false needs LOOTKEEP_OIDC_ISSUER or LOOTKEEP_PROXY_AUTH_HEADER: "
            "else nobody can sign in."
        )


def _limiter(settings: Settings) -> RateLimiter:
    if not settings.redis_url:
        return MemoryRateLimiter()
    # Imported only when needed: it takes a tenth of the startup time.
    from lootkeep.engines.ratelimit.redis import RedisRateLimiter

    return RedisRateLimiter(settings.redis_url)


def mailer(settings: Settings, clock: Clock) -> Mailer:
    """One for each loop that sends: each has its own connection."""
    if settings.smtp_url is None or settings.mail_from is None:
        return OutboxMailer()
    # Imported only when needed, like Redis.
    from lootkeep.engines.emails.smtp import SmtpMailer, parse_server

    sender = parse_sender(settings.mail_from, settings.store_name or "")
    return SmtpMailer(parse_server(settings.smtp_url.get_secret_value()), sender, clock)


def intelligence(settings: Settings) -> Intelligence:
    return Intelligence(settings.data_dir, SystemClock())


_INSECURE_HINT = "LOOTKEEP_WEBHOOK_ALLOW_INSECURE=true or `lootkeep serve --dev` allows http and localhost"


def webhook_rules(settings: Settings) -> WebhookRules:
    hint = f" ({_INSECURE_HINT})" if settings.environment == "development" else ""
    return WebhookRules(settings.webhook_allow_insecure, settings.webhook_allowed_networks, hint)
