"""The second factor: an authenticator whose secret we make, passkeys, and recovery codes for who lost them."""

from __future__ import annotations

import base64
import secrets

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import accounts as accounts_rules
from lootkeep.domain.accounts import Account
from lootkeep.domain.attempts import Limit
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import NotFound, Unprocessable, existing, invalid
from lootkeep.services import attempts
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Transaction

_PURPOSE = "totp"
_SETUP_PURPOSE = "totp setup"
_RECOVERY_PURPOSE = "recovery code"
_SECRET_BYTES = 20


def offer(deps: Deps, user_id: int, setup: str = "") -> tuple[str, str]:
    """A new secret for an authenticator, or that of `setup`; and it signed, so that nobody can choose another."""
    secret = _offered(deps, user_id, setup) or base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()
    until = deps.clock.now() + accounts_rules.TOTP_SETUP_LIFETIME
    return secret, deps.vault.sign(f"{user_id}:{until}:{secret}", _SETUP_PURPOSE)


def _offered(deps: Deps, user_id: int, setup: str) -> str | None:
    user, _, rest = (deps.vault.signed(setup, _SETUP_PURPOSE) or "").partition(":")
    until, _, secret = rest.partition(":")
    return secret if user == str(user_id) and deps.clock.now() < int(until) else None


async def start(deps: Deps, user_id: int, setup: str, code: str, password: str) -> list[str]:
    """Asks for a code at sign-in from now on, once the first one was right; the recovery codes are returned."""
    await attempts.require_password(deps, user_id, password, "own_password")
    secret, now = _offered(deps, user_id, setup), deps.clock.now()
    step = accounts_rules.accepted_step(secret, code.strip(), now, None) if secret else None
    if secret is None or step is None:
        raise invalid("code", "This is not the code that the authenticator shows now.")
    async with deps.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        if account.totp_secret is not None:
            raise Unprocessable(
                "second_factor_is_on", "Two-factor authentication is on already. Turn it off first, with your password."
            )
        sealed = deps.vault.seal(secret, _PURPOSE)
        await accounts_db.ROWS.save(tx, account, replace(account, totp_secret=sealed, totp_step=step, updated_at=now))
        return await renew_codes(tx, deps, user_id, now)


async def stop(deps: Deps, user_id: int, password: str) -> None:
    """Asks for no code any more; a browser that someone left signed in is not enough for that."""
    await attempts.require_password(deps, user_id, password, "own_password")
    async with deps.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        changed = replace(account, totp_secret=None, totp_step=None, updated_at=deps.clock.now())
        await end_codes(tx, await accounts_db.ROWS.save(tx, account, changed))


async def end_codes(tx: Transaction, account: Account) -> None:
    """Recovery codes are for a second factor: they end with the last one."""
    if not await is_on(tx, account):
        await accounts_db.remove_recovery_codes(tx, account.user_id)


async def is_on(tx: Transaction, account: Account) -> bool:
    return account.totp_secret is not None or bool(await accounts_db.PASSKEYS.find(tx, user_id=account.user_id))


async def reset(deps: Deps, email: str) -> bool:
    """Asks a user who lost everything for no code any more; False if there was none."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        user = existing(await access_db.USERS.find_one(tx, email=email.strip().lower()), "User")
        account = await accounts_db.ROWS.lock(tx, user.id)
        if account is None or not await is_on(tx, account):
            return False
        await clear(tx, account, now, account.password_hash)
        await audit_db.add(tx, user_id=None, action="Reset the second factor", record=f"user:{user.id}", now=now)
    return True


async def clear(tx: Transaction, account: Account, now: Instant, password_hash: str | None) -> None:
    """The account has this password from now on, or is disabled without one, and has no second factor."""
    changed = replace(
        account,
        password_hash=password_hash,
        totp_secret=None,
        totp_step=None,
        disabled_at=now if password_hash is None else None,
        updated_at=now,
    )
    await accounts_db.ROWS.save(tx, account, changed)
    await accounts_db.remove_recovery_codes(tx, account.user_id)
    for passkey in await accounts_db.PASSKEYS.find(tx, user_id=account.user_id):
        await accounts_db.PASSKEYS.remove(tx, passkey)


async def new_codes(deps: Deps, user_id: int, password: str) -> list[str]:
    """Other recovery codes; the earlier ones end."""
    await attempts.require_password(deps, user_id, password, "own_password")
    async with deps.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        if not await is_on(tx, account):
            raise NotFound("Second factor")
        return await renew_codes(tx, deps, user_id, deps.clock.now())


async def check(deps: Deps, account: Account, code: str, ip: str, now: Instant) -> None:
    """Accepts what the authenticator shows now, or a recovery code; each works once."""
    async with (
        attempts.counted(deps, Limit(f"code:{account.user_id}", attempts.PER_USER)),
        deps.db.write() as tx,
    ):
        locked = existing(await accounts_db.ROWS.lock(tx, account.user_id), "Account")
        if not await is_on(tx, locked):
            return
        secret = deps.vault.open(locked.totp_secret, _PURPOSE) if locked.totp_secret else None
        step = accounts_rules.accepted_step(secret, code.strip(), now, locked.totp_step) if secret else None
        if step is not None:
            await accounts_db.ROWS.save(tx, locked, replace(locked, totp_step=step))
        elif not await _use_recovery_code(tx, deps, account.user_id, code, ip, now):
            raise invalid("code", "Enter the six digits that your authenticator shows now, or a recovery code.")


async def _use_recovery_code(tx: Transaction, deps: Deps, user_id: int, code: str, ip: str, now: Instant) -> bool:
    if not await accounts_db.use_recovery_code(tx, user_id, _fingerprint(deps, code), now):
        return False
    left = {"recovery_codes_left": await accounts_db.count_recovery_codes(tx, user_id)}
    record = f"user:{user_id}"
    action = "Signed in with a recovery code"
    await audit_db.add(tx, user_id=user_id, action=action, record=record, after=left, ip_address=ip, now=now)
    return True


async def renew_codes(tx: Transaction, deps: Deps, user_id: int, now: Instant) -> list[str]:
    codes = [accounts_rules.recovery_code(secrets.token_bytes) for _ in range(accounts_rules.RECOVERY_CODES)]
    await accounts_db.remove_recovery_codes(tx, user_id)
    for code in codes:
        await accounts_db.add_recovery_code(tx, user_id, _fingerprint(deps, code), now)
    return codes


def _fingerprint(deps: Deps, code: str) -> str:
    return deps.vault.fingerprint(accounts_rules.plain_code(code).encode(), _RECOVERY_PURPOSE)
