"""Who signed in elsewhere: the groups that a provider names decide the role, and the audit log has the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.access import User
from lootkeep.domain.accounts import Account
from lootkeep.domain.roles import PRESET_NAMES
from lootkeep.engines.openid import OpenIdProvider
from lootkeep.kernel.errors import AppError, Unprocessable
from lootkeep.services import sign_in
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Transaction

_UNKNOWN = "The proxy says who you are, but you have no account here. Ask an owner to invite you."
_NO_EMAIL = "The provider did not say your e-mail address, or that it is yours."
_PROXY = "proxy"
_DISABLED = "Your account in this console is disabled. Ask an owner for a one-time link."
_NO_GROUP = "You are signed in, but none of your groups has a role in this console. Ask an owner."


async def enter(deps: Deps, provider: OpenIdProvider, claims: Mapping[str, Any], ip: str) -> int:
    """The user that the claims of a provider name, with the role of their first group that has one."""
    email = claims.get("email")
    try:
        if not isinstance(email, str) or claims.get("email_verified", True) not in (True, "true"):
            raise Unprocessable("no_email", _NO_EMAIL)
        role = _role_of(_groups(claims.get(provider.group_claim)), provider.roles)
        return await _enter(deps, email, str(claims.get("name") or ""), role, "OpenID Connect", ip)
    except AppError as rejection:
        await sign_in.log_failure(deps, None, rejection.code, ip, deps.clock.now())
        raise


async def enter_by_proxy(
    deps: Deps, email: str, groups: Sequence[str] | None, roles: Mapping[str, str], ip: str
) -> int:
    """The user that a proxy names. Their groups decide the role; if it sends none, they have been invited before."""
    try:
        if groups is not None:
            return await _enter(deps, email, "", _role_of(groups, roles), _PROXY, ip)
        async with deps.db.write() as tx:
            person = await accounts_db.person_by_email(tx, email)
            if person is None:
                raise Unprocessable("no_account", _UNKNOWN)
            _check_enabled(await accounts_db.ROWS.get(tx, person.id))
            await sign_in.log_sign_in(tx, person.id, _PROXY, ip, deps.clock.now())
        return person.id
    except AppError as rejection:
        await sign_in.log_failure(deps, None, rejection.code, ip, deps.clock.now())
        raise


def _role_of(groups: Sequence[object], roles: Mapping[str, str]) -> str:
    """The name of the role of the first group that has one."""
    name = next((role for group, role in roles.items() if group in groups), None)
    if name is None:
        raise Unprocessable("no_group", _NO_GROUP)
    return name


def _groups(claim: object) -> Sequence[object]:
    return claim if isinstance(claim, list) else [claim]


async def _enter(deps: Deps, email: str, name: str, role: str, method: str, ip: str) -> int:
    checked, now = access_rules.checked_email(email), deps.clock.now()
    shown_name = name.strip() if name.strip().isprintable() and name.strip() else checked
    async with deps.db.write() as tx:
        fields = await _named(tx, role)
        user = await access_db.USERS.find_one(tx, email=checked)
        if user is None:
            user = await access_db.USERS.add(tx, User(0, checked, shown_name[:255], False, now))
        # Before the account: nobody takes the role from the last owner meanwhile.
        owners = [owner.user_id for owner in await accounts_db.lock_owners(tx) if owner.password_hash is not None]
        account = await accounts_db.ROWS.lock(tx, user.id)
        _check_enabled(account)
        if account is None:
            await accounts_db.ROWS.add(tx, Account(user.id, created_at=now, updated_at=now, **fields))
        elif owners != [user.id] and (account.role, account.role_id) != (fields["role"], fields["role_id"]):
            await accounts_db.ROWS.save(tx, account, replace(account, **fields, updated_at=now))
        await sign_in.log_sign_in(tx, user.id, method, ip, now)
    return user.id


def _check_enabled(account: Account | None) -> None:
    if account is not None and account.disabled_at is not None:
        raise Unprocessable("disabled", _DISABLED)


async def _named(tx: Transaction, name: str) -> dict[str, Any]:
    """What an account holds of the role with this name: that of a preset, or of one that an owner made."""
    preset = name.lower().replace("-", "_")
    if preset in PRESET_NAMES:
        return {"role": preset, "role_id": None}
    role = await accounts_db.ROLES.find_one(tx, name=name)
    if role is None:
        raise Unprocessable("no_role", "Your group has a role that does not exist any more. Ask an owner.")
    return {"role": "custom", "role_id": role.id}
