"""Redis, the mail server, webhook receivers and the public URL: everything reached over a network."""

from __future__ import annotations

import asyncio

from lootkeep.engines.demo_receivers import is_of_demo
from lootkeep.engines.emails import Mailer
from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services.health.finding import Config, Finding
from lootkeep.services.health.store import OpenDatabase
from lootkeep.storage import demo as demo_db
from lootkeep.storage.webhooks import endpoints as endpoints_db

# Enough to distinguish a firewall from a receiver that is down.
_MAX_RECEIVERS = 5
# Certificates are renewed a month before they expire; two weeks before, nobody has.
_CERTIFICATE_DAYS = 14


async def receivers(opened: OpenDatabase, outbound: Outbound) -> list[Finding]:
    """Whether connections leave this machine: if no receiver can be reached, the receivers are not the cause."""
    async with opened() as engine, engine.read() as tx:
        is_demo = (await demo_db.mark(tx)).is_begun
        urls = [webhook.url for webhook in await endpoints_db.ROWS.find(tx) if webhook.is_active]
    if is_demo:
        urls = [url for url in urls if not is_of_demo(url)]
    if not urls:
        sentence = "The receivers of the demo answer inside the process." if is_demo else "There is no active webhook."
        return [Finding("egress", "ok", sentence)]
    tried = urls[-_MAX_RECEIVERS:]
    errors = [reached.error for reached in await asyncio.gather(*map(outbound.reach, tried)) if reached.error]
    if len(errors) == len(tried):
        return [Finding("egress", "bad", f"No receiver can be reached: {errors[0]}. Check firewall, proxy and DNS.")]
    if errors:
        sentence = f"{len(errors)} of {len(tried)} receivers cannot be reached: {errors[0]}."
        return [Finding("egress", "warning", sentence)]
    return [Finding("egress", "ok", "Receivers can be reached.")]


async def public_url(config: Config, outbound: Outbound, now: Instant) -> list[Finding]:
    """The URL in e-mails; the guard that keeps webhooks on public addresses also shows whether people can reach it."""
    url = config.public_url
    if url is None:
        if config.environment == "production":
            return [
                Finding(
                    "public URL", "warning", "No public URL is set (LOOTKEEP_PUBLIC_URL): links in e-mails do not work."
                )
            ]
        return []
    reached = await outbound.reach(url)
    if reached.error:
        return [Finding("public URL", "warning", f"{url} cannot be reached from here: {reached.error}.")]
    if reached.certificate_ends is not None:
        days = (reached.certificate_ends - now) // DAY
        if days < _CERTIFICATE_DAYS:
            return [Finding("public URL", "warning", f"The certificate of {url} expires in {days} days: renew it.")]
        return [Finding("public URL", "ok", f"{url} answers; its certificate is valid for {days} days.")]
    return [Finding("public URL", "ok", f"{url} answers.")]


async def redis(config: Config) -> Finding:
    if not config.redis_url:
        return Finding("redis", "ok", "LOOTKEEP_REDIS_URL is not set: each process counts requests alone.")
    from redis.asyncio import Redis
    from redis.exceptions import RedisError

    client: Redis = Redis.from_url(config.redis_url, socket_connect_timeout=2, socket_timeout=2)
    try:
        await client.ping()
    except (RedisError, OSError) as error:
        return Finding("redis", "bad", f"Redis does not answer ({error}). Check LOOTKEEP_REDIS_URL.")
    finally:
        await client.aclose()
    return Finding("redis", "ok", "Redis answers.")


async def mail(config: Config, mailer: Mailer) -> Finding:
    if config.smtp_url is None:
        return Finding(
            "mail", "warning", "No mail server is set, by the console or LOOTKEEP_SMTP_URL: e-mails stay in the outbox."
        )
    error = await mailer.check()
    await mailer.close()
    if error:
        return Finding("mail", "bad", f"E-mails cannot be sent: {error}. Check the mail server in the settings.")
    if config.environment == "production" and not (config.public_url or "").startswith("https://"):
        return Finding("mail", "bad", "Links in e-mails need an https URL: set the public URL.")
    return Finding("mail", "ok", "The mail server accepts the connection and the credentials.")
