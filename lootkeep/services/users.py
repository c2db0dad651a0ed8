"""Users of the console, with their roles: an owner is always left, and nobody gives more than they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.access import User
from lootkeep.domain.accounts import Account
from lootkeep.domain.roles import PRESET_NAMES, PRESET_TEXTS, PRESETS, Permissions, Role
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, existing, invalid
from lootkeep.services import access, second_factor, sign_in
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Transaction

RENAME = "Rename a user"
REMOVE = "Remove a user"
_LAST_OWNER = (
    "No other owner has a password. First make someone an owner, or let an owner choose one by a one-time link."
)
_TAKEN = "There is already a role with this name."


async def roles_to_give(tx: Transaction, by: Permissions) -> dict[str, str]:
    """The names of the roles that someone may give, by what forms send."""
    presets = {
        key: f"{PRESET_NAMES[key]}: {PRESET_TEXTS[key][0].lower()}{PRESET_TEXTS[key][1:]}"
        for key, permissions in PRESETS.items()
        if by.covers(permissions)
    }
    roles = await accounts_db.ROLES.find(tx)
    return presets | {str(role.id): role.name for role in roles if by.covers(role.permissions)}


async def invite(deps: Deps, email: str, name: str, role: str, by: Permissions) -> tuple[int, str]:
    """The id of a new user, and the token of the one-time link by which they choose a password."""
    async with deps.db.read() as tx:
        role_fields = await _role_fields(tx, role, by)
    user = await access.add_user(deps, email, name.strip())
    return user.id, await sign_in.make_link(deps, user.email, **role_fields, is_logged=False)


async def make_link(deps: Deps, user_id: int, by: Permissions) -> str:
    """Another link for a user who was disabled or forgot the password; who has no account yet gets one by it."""
    async with deps.db.read() as tx:
        user = existing(await access_db.STAFF.get(tx, user_id), "User")
        person = await accounts_db.person(tx, user_id)
        _check_covers(by, person.permissions if person else PRESETS["owner" if user.is_owner else "read_only"])
    return await sign_in.make_link(deps, user.email, "read_only", is_logged=False)


async def change_role(deps: Deps, user_id: int, role: str, by: Permissions) -> tuple[Account, Account]:
    """The account before and after."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _check_user(tx, user_id, by)
        await _check_other_owner(tx, user_id, is_leaving=role != "owner")
        role_fields = await _role_fields(tx, role, by)
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        changed = replace(account, **role_fields, updated_at=now)
        await accounts_db.ROWS.save(tx, account, changed)
    return account, changed


async def disable(deps: Deps, user_id: int, by: Permissions) -> Account:
    """Ends sessions, password, second factor, links and saved views of a user; the account before is returned."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _check_user(tx, user_id, by)
        await _check_other_owner(tx, user_id, is_leaving=True)
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        await _end_access(tx, account, now)
    return account


async def rename(deps: Deps, email: str, name: str | None, new_email: str | None) -> User:
    """Another name or e-mail address, from the command line."""
    async with deps.db.write() as tx:
        user = existing(await access_db.STAFF.find_one(tx, email=email.strip().lower()), "User")
        renamed = replace(user, email=access_rules.checked_email(new_email or user.email), name=name or user.name)
        access_rules.check_name(renamed.name)
        if renamed.email != user.email and await access_db.USERS.find_one(tx, email=renamed.email):
            raise Conflict("user_exists", "There is already a user with this e-mail address.")
        if renamed != user:
            await access_db.USERS.save(tx, user, renamed)
            before, after = _identity(user), _identity(renamed)
            record, now = f"user:{user.id}", deps.clock.now()
            await audit_db.add(tx, user_id=None, action=RENAME, record=record, before=before, after=after, now=now)
    return renamed


async def remove(deps: Deps, email: str) -> User:
    """Ends everything the user has access by, tokens too; the e-mail address is free again. An owner is always left."""
    now = deps.clock.now()
    async with deps.db.write_tokens() as tx:
        user = existing(await access_db.STAFF.find_one(tx, email=email.strip().lower()), "User")
        owners = await accounts_db.lock_owners(tx)
        heirs = sorted(it.user_id for it in owners if it.user_id != user.id and it.password_hash is not None)
        if not heirs and (user.is_owner or any(it.user_id == user.id for it in owners)):
            raise Conflict("last_owner", _LAST_OWNER)
        account = await accounts_db.ROWS.lock(tx, user.id)
        if account:
            await _end_access(tx, account, now)
            await accounts_db.ROWS.remove(tx, account)
        for token in await access_db.TOKENS.find(tx, user_id=user.id):
            await access.revoke_in(tx, token.id, now)
        await access_db.remove(tx, user.id, access_rules.removed_email(user.id), now)
        if user.is_owner:
            heir = existing(await access_db.STAFF.lock(tx, heirs[0]), "User")
            await access_db.USERS.save(tx, heir, replace(heir, is_owner=True))
        record = f"user:{user.id}"
        await audit_db.add(tx, user_id=None, action=REMOVE, record=record, before=_identity(user), now=now)
    return user


def _identity(user: User) -> dict[str, str]:
    return {"name": user.name, "email": user.email}


async def _end_access(tx: Transaction, account: Account, now: Instant) -> None:
    await second_factor.clear(tx, account, now, None)
    await accounts_db.remove_links(tx, account.user_id)
    await accounts_db.remove_views(tx, account.user_id)
    await accounts_db.revoke_sessions(tx, account.user_id, now)


async def create_role(deps: Deps, values: Mapping[str, Any]) -> Role:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        role = await accounts_db.ROLES.add_if_free(tx, Role(0, created_at=now, updated_at=now, **_checked(values)))
    if role is None:
        raise invalid("name", _TAKEN)
    return role


async def edit_role(deps: Deps, role_id: int, values: Mapping[str, Any]) -> Role:
    """Everyone with the role has what it says from their next request on."""
    async with deps.db.write() as tx:
        role = existing(await accounts_db.ROLES.lock(tx, role_id), "Role")
        changed = replace(role, **_checked(values))
        same_name = await accounts_db.ROLES.find_one(tx, name=changed.name)
        if same_name is not None and same_name.id != role_id:
            raise invalid("name", _TAKEN)
        if changed != role:
            changed = replace(changed, updated_at=deps.clock.now())
            await accounts_db.ROLES.save(tx, role, changed)
    return changed


async def delete_role(deps: Deps, role_id: int) -> None:
    async with deps.db.write() as tx:
        role = existing(await accounts_db.ROLES.lock(tx, role_id), "Role")
        if await accounts_db.ROWS.find(tx, role_id=role_id):
            raise Conflict("role_in_use", "People still have this role. Give them another one first.")
        await accounts_db.ROLES.remove(tx, role)


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    access_rules.check_name(values["name"])
    if values["name"].strip().lower() in {name.lower() for name in PRESET_NAMES.values()}:
        raise invalid("name", _TAKEN)
    return {**values, "name": values["name"].strip(), "scopes": " ".join(sorted(values["scopes"]))}


async def _role_fields(tx: Transaction, key: str, by: Permissions) -> dict[str, Any]:
    """What an account holds of the role that a form sent."""
    if key in PRESETS:
        _check_covers(by, PRESETS[key])
        return {"role": key, "role_id": None}
    role = await accounts_db.ROLES.get(tx, int(key)) if key.isdecimal() else None
    if role is None:
        raise invalid("role", "Choose one of the values.")
    _check_covers(by, role.permissions)
    return {"role": "custom", "role_id": role.id}


async def _check_user(tx: Transaction, user_id: int, by: Permissions) -> None:
    """Who may do more than oneself is not disabled, let in or given another role."""
    person = await accounts_db.person(tx, user_id)
    if person is not None:
        _check_covers(by, person.permissions)


def _check_covers(by: Permissions, permissions: Permissions) -> None:
    if not by.covers(permissions):
        raise Unprocessable("more_than_own_role", "That role may do more than yours. An owner has to do this.")


async def _check_other_owner(tx: Transaction, user_id: int, *, is_leaving: bool) -> None:
    has_password = {it.user_id: it.password_hash is not None for it in await accounts_db.lock_owners(tx)}
    is_owner = has_password.pop(user_id, None) is not None
    if is_leaving and is_owner and not any(has_password.values()):
        raise Conflict("last_owner", _LAST_OWNER)
