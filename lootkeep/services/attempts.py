"""Attempts to prove who one is: each counts as a failure until it succeeded, in all processes together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from lootkeep.deps import Deps
from lootkeep.domain import attempts as attempts_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.attempts import FailureCount, Limit
from lootkeep.engines import passwords
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import RateLimited, existing, invalid
from lootkeep.storage.access import accounts as accounts_db, attempts as attempts_db

# Failures before the first pause. An account and a network together have few. An account has many: anyone who
# guesses from many networks makes its owner wait, but not in a browser in which they signed in before.
PER_ACCOUNT_AND_NETWORK = 5
PER_BROWSER = 5
PER_NETWORK = 20
PER_ACCOUNT = 50
# Of someone who is signed in, or has given the right password.
PER_USER = 5

_PURPOSE = "failed attempt"


def of_stranger(email: str, ip: str) -> tuple[Limit, ...]:
    """Who gives an e-mail address and is in a browser that nobody knows."""
    network = network_key(ip) if ip else ""
    return (
        Limit(f"account and network:{email}:{network}", PER_ACCOUNT_AND_NETWORK),
        Limit(f"account:{email}", PER_ACCOUNT, is_own=False),
        of_network(ip),
    )


def of_network(ip: str) -> Limit:
    return Limit(f"network:{network_key(ip) if ip else ''}", PER_NETWORK, is_own=False)


@asynccontextmanager
async def counted(deps: Deps, *limits: Limit) -> AsyncIterator[None]:
    """An attempt that fails if the block raises; RateLimited if there must be a pause first."""
    by_key = {deps.vault.fingerprint(limit.name.encode(), _PURPOSE): limit for limit in limits}
    now = deps.clock.now()
    async with deps.db.read() as tx:
        # Who has to wait must not make the database write.
        _check([count for key in by_key if (count := await attempts_db.ROWS.get(tx, key)) is not None], now)
    async with deps.db.write() as tx:
        counts = await attempts_db.lock(tx, by_key, now)
        _check(counts.values(), now)
        for key, limit in by_key.items():
            await attempts_db.ROWS.save(tx, counts[key], attempts_rules.after_failure(counts[key], limit.free, now))
    yield
    async with deps.db.write() as tx:
        for key, count in (await attempts_db.lock(tx, by_key, now)).items():
            if by_key[key].is_own or count.failures <= 1:
                await attempts_db.ROWS.remove(tx, count)
            else:
                await attempts_db.ROWS.save(tx, count, attempts_rules.after_success(count, now))


async def require_password(deps: Deps, user_id: int, password: str, field: str) -> None:
    """Asks a user who is signed in; guesses of strangers do not count against them."""
    async with deps.db.read() as tx:
        account = existing(await accounts_db.ROWS.get(tx, user_id), "Account")
    async with counted(deps, Limit(f"own password:{user_id}", PER_USER)):
        if not await passwords.is_password(password, account.password_hash):
            raise invalid(field, "This is not your current password.")


def _check(counts: Iterable[FailureCount], now: Instant) -> None:
    pause = max((count.pause(now) for count in counts), default=0)
    if pause:
        seconds = -(-pause // SECOND)
        wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
        raise RateLimited("too_many_attempts", f"Too many attempts. Try again in {wait}.", seconds)
