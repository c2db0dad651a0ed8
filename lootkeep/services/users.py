"""Users of the console: invitations, roles, and ending access; there is always an owner."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.accounts import Account, Role
from lootkeep.kernel.errors import Conflict, existing
from lootkeep.services import access, second_factor, sign_in
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Transaction


async def invite(deps: Deps, email: str, name: str, role: Role) -> tuple[int, str]:
    """The id of a new user, and the token of the one-time link by which they choose a password."""
    user = await access.add_user(deps, email, name.strip())
    return user.id, await sign_in.make_link(deps, user.email, role, is_logged=False)


async def make_link(deps: Deps, user_id: int) -> str:
    """Another link for a user who was disabled or forgot the password."""
    async with deps.db.read() as tx:
        user = existing(await access_db.USERS.get(tx, user_id), "User")
    return await sign_in.make_link(deps, user.email, "read_only", is_logged=False)


async def change_role(deps: Deps, user_id: int, role: Role) -> tuple[Account, Account]:
    """The account before and after."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _check_other_owner(tx, user_id, is_leaving=role != "owner")
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        changed = replace(account, role=role, updated_at=now)
        await accounts_db.ROWS.save(tx, account, changed)
    return account, changed


async def disable(deps: Deps, user_id: int) -> Account:
    """Ends the sessions, the password, the second factor and the links of a user; the account before is returned."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _check_other_owner(tx, user_id, is_leaving=True)
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        await second_factor.clear(tx, account, now, None)
        await accounts_db.remove_links(tx, user_id)
        await accounts_db.revoke_sessions(tx, user_id, now)
    return account


async def _check_other_owner(tx: Transaction, user_id: int, *, is_leaving: bool) -> None:
    owners = {account.user_id: account.password_hash is not None for account in await accounts_db.lock_owners(tx)}
    is_needed = owners.pop(user_id, False) and not any(owners.values())
    if is_leaving and is_needed:
        raise Conflict("last_owner", "This is the only owner who can sign in. Make someone else an owner first.")
