"""Accounts of the console, their one-time links and sessions."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from sqlalchemy import Text, bindparam, delete, exists, func, or_, select, update

from lootkeep.domain.accounts import IDLE_LIMIT, Account, ListedUser, Person, Session, SignInFigures
from lootkeep.domain.passkeys import Passkey
from lootkeep.domain.roles import Role
from lootkeep.domain.saved_views import SavedView
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.rows import Rows, columns_of, insertion, show
from lootkeep.storage.schema import (
    account_links,
    accounts,
    passkeys,
    recovery_codes,
    roles,
    saved_views,
    sessions,
    users,
)

# How many sessions one transaction removes.
_BATCH = 500

ROWS = Rows(accounts, Account, is_shown=True)
ROLES = Rows(roles, Role, is_shown=True)
SESSIONS = Rows(sessions, Session)
PASSKEYS = Rows(passkeys, Passkey, is_shown=True)
VIEWS = Rows(saved_views, SavedView)

_ANY_PASSWORD = Query(select(exists().where(accounts.c.password_hash.is_not(None))))
_PERSON = columns_of(users, Person, account=accounts, role=roles)
_people = (
    select(*_PERSON)
    .join(accounts, accounts.c.user_id == users.c.id)
    .join(roles, roles.c.id == accounts.c.role_id, isouter=True)
)
_PEOPLE = Query(_people.order_by(users.c.id), Person)
_PERSON_BY_EMAIL = Query(_people.where(users.c.email == bindparam("address")), Person)
_PERSON_BY_ID = Query(_people.where(users.c.id == bindparam("user")), Person)
# Locked, so two owners cannot remove each other at once.
_OWNERS = Query(
    select(*columns_of(accounts, Account))
    .where(accounts.c.role == "owner")
    .order_by(accounts.c.user_id)
    .with_for_update(),
    Account,
)
_ADD_LINK = insertion(account_links, "user_id", "digest", "created_at", "expires_at")
_REMOVE_LINKS = Query(delete(account_links).where(account_links.c.user_id == bindparam("user")))
_REMOVE_VIEWS = Query(delete(saved_views).where(saved_views.c.user_id == bindparam("user")))
_IS_VALID = (
    account_links.c.digest == bindparam("hashed"),
    account_links.c.used_at.is_(None),
    account_links.c.expires_at > bindparam("now"),
)
_LINK = Query(select(account_links.c.user_id).where(*_IS_VALID))
_USE_LINK = Query(
    update(account_links).where(*_IS_VALID).values(used_at=bindparam("now")).returning(account_links.c.user_id)
)

_OPEN = (sessions.c.user_id == bindparam("user"), sessions.c.revoked_at.is_(None))
_open_sessions = select(*columns_of(sessions, Session)).where(*_OPEN)
_SESSIONS = Query(_open_sessions.order_by(sessions.c.last_seen_at.desc(), sessions.c.id), Session)
_WITH_PEOPLE = Query(
    _people.join(sessions, sessions.c.user_id == users.c.id)
    .with_only_columns(*_PERSON, *columns_of(sessions, Session))
    .where(IsListed(sessions.c.id, bindparam("wanted", type_=Text))),
    lambda *row: (Session(*row[len(_PERSON) :]), Person(*row[: len(_PERSON)])),
)
_REVOKE = Query(
    update(sessions)
    .where(*_OPEN, sessions.c.id == bindparam("session"))
    .values(revoked_at=bindparam("now"))
    .returning(sessions.c.id)
)
_REVOKE_OTHERS = Query(
    update(sessions).where(*_OPEN, sessions.c.id != bindparam("session")).values(revoked_at=bindparam("now"))
)
_OF_CODES = recovery_codes.c.user_id == bindparam("user")
_ADD_CODE = insertion(recovery_codes, "user_id", "digest", "created_at")
_USE_CODE = Query(
    update(recovery_codes)
    .where(_OF_CODES, recovery_codes.c.digest == bindparam("hashed"), recovery_codes.c.used_at.is_(None))
    .values(used_at=bindparam("now"))
    .returning(recovery_codes.c.id)
)
_COUNT_CODES = Query(select(func.count()).where(_OF_CODES, recovery_codes.c.used_at.is_(None)))
_REMOVE_CODES = Query(delete(recovery_codes).where(_OF_CODES))

_HAS_SECOND_FACTOR = or_(accounts.c.totp_secret.is_not(None), exists().where(passkeys.c.user_id == accounts.c.user_id))
_WITH_PASSWORD = select(func.count()).where(accounts.c.password_hash.is_not(None))
_COUNT_SECURITY = Query(
    select(
        _WITH_PASSWORD.label("with_password"),
        _WITH_PASSWORD.where(_HAS_SECOND_FACTOR).label("with_second_factor"),
        select(func.count())
        .where(
            sessions.c.revoked_at.is_(None),
            sessions.c.expires_at > bindparam("now"),
            sessions.c.last_seen_at > bindparam("since"),
        )
        .label("sessions"),
    ),
    SignInFigures,
)

_OLD = select(sessions.c.id).where(sessions.c.expires_at < bindparam("before")).limit(_BATCH)
_FREE = _OLD.with_for_update(skip_locked=True)
_PURGE = Query(delete(sessions).where(sessions.c.id.in_(_FREE)).returning(sessions.c.id))

LISTING = Listing(
    users,
    ListedUser,
    {},
    {"created_at": Sort(users.c.id), "name": Sort(users.c.name), "email": Sort(users.c.email)},
    columns=(
        *(users.c[name] for name in ("id", "email", "name", "created_at")),
        accounts.c.role,
        roles.c.name.label("role_name"),
        accounts.c.password_hash.is_not(None).label("has_password"),
        _HAS_SECOND_FACTOR.label("has_second_factor"),
        accounts.c.disabled_at.is_not(None).label("is_disabled"),
        accounts.c.updated_at,
    ),
    joins=(
        Join(accounts, accounts.c.user_id == users.c.id, is_optional=True),
        Join(roles, roles.c.id == accounts.c.role_id, is_optional=True),
    ),
    always=(users.c.removed_at.is_(None),),
)


async def lock_owners(tx: Transaction) -> list[Account]:
    return await tx.all(_OWNERS)


async def has_password(tx: Transaction) -> bool:
    """Whether anyone can sign in."""
    ((is_there,),) = await tx.all(_ANY_PASSWORD)
    return bool(is_there)


async def people(tx: Transaction) -> list[Person]:
    return await tx.all(_PEOPLE)


async def person(tx: Transaction, user_id: int) -> Person | None:
    return await tx.one(_PERSON_BY_ID, user=user_id)


async def person_by_email(tx: Transaction, email: str) -> Person | None:
    return await tx.one(_PERSON_BY_EMAIL, address=email)


async def add_link(tx: Transaction, user_id: int, digest: str, now: Instant, expires_at: Instant) -> None:
    """The user's only valid link."""
    await tx.run(_REMOVE_LINKS, user=user_id)
    await tx.run(_ADD_LINK, user_id=user_id, digest=digest, created_at=now, expires_at=expires_at)


async def remove_links(tx: Transaction, user_id: int) -> None:
    await tx.run(_REMOVE_LINKS, user=user_id)


async def remove_views(tx: Transaction, user_id: int) -> None:
    await tx.run(_REMOVE_VIEWS, user=user_id)


async def user_of_link(tx: Transaction, digest: str, now: Instant) -> int | None:
    row = await tx.one(_LINK, hashed=digest, now=now)
    return row[0] if row else None


async def use_link(tx: Transaction, digest: str, now: Instant) -> int | None:
    """The user of the link, for its first use."""
    row = await tx.one(_USE_LINK, hashed=digest, now=now)
    return row[0] if row else None


async def sessions_of(tx: Transaction, user_id: int) -> list[Session]:
    """Those that were not revoked, the most recently used first."""
    return await tx.all(_SESSIONS, user=user_id)


async def sessions_with_people(tx: Transaction, session_ids: Collection[int]) -> list[tuple[Session, Person]]:
    """Each with its user as they are now."""
    return await tx.all(_WITH_PEOPLE, wanted=msgspec.json.encode(list(session_ids)).decode())


async def revoke_session(tx: Transaction, user_id: int, session_id: int, now: Instant) -> bool:
    show(tx, sessions)
    return await tx.one(_REVOKE, user=user_id, session=session_id, now=now) is not None


async def revoke_sessions(tx: Transaction, user_id: int, now: Instant, *, but: int = 0) -> None:
    """All sessions of a user except one."""
    show(tx, sessions)
    await tx.run(_REVOKE_OTHERS, user=user_id, session=but, now=now)


async def add_recovery_code(tx: Transaction, user_id: int, digest: str, now: Instant) -> None:
    await tx.run(_ADD_CODE, user_id=user_id, digest=digest, created_at=now)


async def use_recovery_code(tx: Transaction, user_id: int, digest: str, now: Instant) -> bool:
    """True for the first use of a code."""
    return await tx.one(_USE_CODE, user=user_id, hashed=digest, now=now) is not None


async def count_recovery_codes(tx: Transaction, user_id: int) -> int:
    """How many are left."""
    ((count,),) = await tx.all(_COUNT_CODES, user=user_id)
    return int(count)


async def remove_recovery_codes(tx: Transaction, user_id: int) -> None:
    await tx.run(_REMOVE_CODES, user=user_id)


async def count_security(tx: Transaction, now: Instant) -> SignInFigures:
    return (await tx.all(_COUNT_SECURITY, now=now, since=now - IDLE_LIMIT))[0]


async def purge_sessions(tx: Transaction, before: Instant) -> int:
    """Removes some that have ended, and returns how many."""
    return len(await tx.all(_PURGE, before=before))
