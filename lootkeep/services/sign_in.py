"""Signing in to the console: one-time links, passwords, codes and sessions."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules, accounts as accounts_rules
from lootkeep.domain.access import OWNER_EMAIL, User, digest
from lootkeep.domain.accounts import Account, Person, Session
from lootkeep.domain.attempts import Limit
from lootkeep.engines import passwords
from lootkeep.kernel.clock import HOUR, MINUTE, Instant
from lootkeep.kernel.errors import InvalidFields, NotFound, Unprocessable, invalid
from lootkeep.services import attempts, second_factor
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from lootkeep.storage.engine.database import Transaction

# Logged failures per hour, for one account and for all unknown ones: an attack must not fill the log.
LOGGED_FAILURES = 10
_LINK_USED = ("link_used", "This link was already used or has expired. Ask for a new one.")
PASSKEY_NEXT = "The password is right. Now use your passkey, or enter the password again with a code."
_FAILED = "Failed to sign in"
# `last seen` is worth one write a minute, not one per request.
_SEEN_EVERY = MINUTE
_MAX_USER_AGENT = 400
_BROWSER_PURPOSE = "known browser"


class PasskeyNeeded(Unprocessable):
    """The password was right, and the user has a passkey as second factor."""

    def __init__(self, user_id: int) -> None:
        super().__init__("passkey_needed", PASSKEY_NEXT)
        self.user_id = user_id


async def is_set_up(deps: Deps) -> bool:
    async with deps.db.read() as tx:
        return await accounts_db.has_password(tx)


async def make_link(
    deps: Deps, email: str | None, role: str = "staff", *, role_id: int | None = None, is_logged: bool = True
) -> str:
    """The token of a one-time link that sets a password, for this user or the owner."""
    token, now = deps.ids.secret(), deps.clock.now()
    async with deps.db.write() as tx:
        user = await (access_db.USERS.find_one(tx, email=email.strip().lower()) if email else access_db.owner(tx))
        if user is None:
            raise NotFound("User")
        # Changes nothing for a user with an account.
        account = Account(user.id, "owner" if user.is_owner else role, now, now, role_id=role_id)
        await accounts_db.ROWS.add_if_free(tx, account)
        await accounts_db.add_link(tx, user.id, digest(token), now, Instant(now + accounts_rules.LINK_LIFETIME))
        if email and is_logged:
            await audit_db.add(tx, user_id=None, action="Make a one-time link", record=f"user:{user.id}", now=now)
    return token


async def user_of_link(deps: Deps, token: str) -> User | None:
    """The user of the link; None if it was used, has expired or is invalid."""
    async with deps.db.read() as tx:
        user_id = await accounts_db.user_of_link(tx, digest(token), deps.clock.now())
        return await access_db.USERS.get(tx, user_id) if user_id is not None else None


def needs_name(user: User) -> bool:
    """The owner exists from the first start, without a name."""
    return user.email == OWNER_EMAIL


async def use_link(deps: Deps, token: str, password: str, *, email: str, name: str, ip: str) -> int:
    """Sets the password, ends the user's sessions and second factor, and returns the user; the link works once.

    The owner of a demo needs no password: every start of it prints another link.
    """
    async with attempts.counted(deps, attempts.of_network(ip)):
        named = await user_of_link(deps, token)
        if named is None:
            raise Unprocessable(*_LINK_USED)
    password_hash = None
    if password or not (deps.demo.is_begun and named.is_owner):
        accounts_rules.check_password(password)
        password_hash = await passwords.hash_password(password)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        user_id = await accounts_db.use_link(tx, digest(token), now)
        account = await accounts_db.ROWS.lock(tx, user_id) if user_id is not None else None
        user = await access_db.USERS.get(tx, user_id) if user_id is not None else None
        if account is None or user is None:
            raise Unprocessable(*_LINK_USED)
        if needs_name(user):
            await _name_owner(tx, user, email, name)
        # A user who lost their phone also gets in with a link.
        await second_factor.clear(tx, account, now, password_hash)
        await accounts_db.revoke_sessions(tx, user.id, now)
        if password_hash is None:
            await log_sign_in(tx, user.id, "one-time link", ip, now)
        else:
            await _log(tx, user.id, "Set a password by link", ip, now)
    return user.id


async def sign_in(deps: Deps, email: str, password: str, code: str, ip: str, browser: str = "") -> int:
    """The user with this password, and this code if one is needed; `browser` is what `name_browser` gave it before."""
    normalized_email, now = email.strip().lower(), deps.clock.now()
    async with deps.db.read() as tx:
        person = await accounts_db.person_by_email(tx, normalized_email)
        account = await accounts_db.ROWS.get(tx, person.id) if person else None
        passkeys = await accounts_db.PASSKEYS.find(tx, user_id=person.id) if person else []
    limits = attempts.of_stranger(normalized_email, ip)
    if account is not None and is_browser_of(deps, account.user_id, browser):
        limits = (Limit(f"browser:{browser}", attempts.PER_BROWSER),)
    method, needs_passkey = "password", False
    try:
        async with attempts.counted(deps, *limits):
            if not await passwords.is_password(password, account.password_hash if account else None) or account is None:
                raise invalid("password", "The e-mail address or the password is wrong.")
            # What the password was given for comes with the next form.
            needs_passkey = bool(passkeys) and not code
            if (account.totp_secret is not None or passkeys) and not needs_passkey:
                await second_factor.check(deps, account, code, ip, now)
                method = "password and code"
    except InvalidFields as rejection:
        await log_failure(deps, account.user_id if account else None, next(iter(rejection.fields or ())), ip, now)
        raise
    if needs_passkey:
        raise PasskeyNeeded(account.user_id)
    async with deps.db.write() as tx:
        await log_sign_in(tx, account.user_id, method, ip, now)
    return account.user_id


def name_browser(deps: Deps, user_id: int) -> str:
    """For the cookie of a browser in which the user signed in: what strangers fail at does not count there."""
    return deps.vault.sign(f"{user_id}:{deps.ids.secret()}", _BROWSER_PURPOSE)


def is_browser_of(deps: Deps, user_id: int, browser: str) -> bool:
    return (deps.vault.signed(browser, _BROWSER_PURPOSE) or "").partition(":")[0] == str(user_id)


async def log_sign_in(tx: Transaction, user_id: int, method: str, ip: str | None, now: Instant) -> None:
    await _log(tx, user_id, "Signed in", ip, now, {"method": method})


async def log_failure(deps: Deps, user_id: int | None, wrong: str, ip: str, now: Instant) -> None:
    """The entered e-mail is not logged: it may be a password in the wrong field."""
    record = f"user:{user_id or 'unknown'}"
    async with deps.db.write() as tx:
        logged = await audit_db.times(tx, record, _FAILED, LOGGED_FAILURES)
        if len(logged) < LOGGED_FAILURES or logged[-1] <= now - HOUR:
            after = {"wrong": wrong}
            await audit_db.add(tx, user_id=None, action=_FAILED, record=record, ip_address=ip, after=after, now=now)


async def start_session(deps: Deps, user_id: int, ip: str | None, user_agent: str | None) -> str:
    """The secret of a new session, for the cookie."""
    secret, now = deps.ids.secret(), deps.clock.now()
    agent = user_agent[:_MAX_USER_AGENT] if user_agent else None
    async with deps.db.write() as tx:
        session = Session(0, user_id, now, now, Instant(now + accounts_rules.ABSOLUTE_LIMIT), ip, agent)
        await accounts_db.SESSIONS.add(tx, session, digest=digest(secret))
    return secret


async def resume(deps: Deps, secret: str, ip: str | None, *, is_seen: bool = True) -> tuple[Person, Session] | None:
    """The user of the session; None if it has ended. What a page asks for by itself is not a sign of the user."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        session = await accounts_db.SESSIONS.find_one(tx, digest=digest(secret))
        if session is None or not session.is_valid(now):
            return None
        person = await accounts_db.person(tx, session.user_id)
    if person is None:
        return None
    if is_seen and now - session.last_seen_at >= _SEEN_EVERY:
        async with deps.db.write() as tx:
            await accounts_db.SESSIONS.save(tx, session, replace(session, last_seen_at=now, ip_address=ip))
    return person, session


async def open_sessions(deps: Deps, session_ids: Collection[int]) -> dict[int, Person]:
    """Those that have not ended, with their user as they are now."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        sessions = await accounts_db.sessions_with_people(tx, session_ids)
    return {session.id: person for session, person in sessions if session.is_valid(now)}


async def end_session(deps: Deps, user_id: int, session_id: int) -> None:
    async with deps.db.write() as tx:
        if not await accounts_db.revoke_session(tx, user_id, session_id, deps.clock.now()):
            raise NotFound("Session")


async def change_password(deps: Deps, user_id: int, current: str, new: str, session_id: int) -> None:
    """Ends all other sessions of the user."""
    accounts_rules.check_password(new)
    await attempts.require_password(deps, user_id, current, "current")
    password_hash, now = await passwords.hash_password(new), deps.clock.now()
    async with deps.db.write() as tx:
        account = await accounts_db.ROWS.lock(tx, user_id)
        assert account is not None
        await accounts_db.ROWS.save(tx, account, replace(account, password_hash=password_hash, updated_at=now))
        await accounts_db.revoke_sessions(tx, user_id, now, but=session_id)


async def _name_owner(tx: Transaction, user: User, email: str, name: str) -> None:
    checked = access_rules.checked_email(email)
    access_rules.check_name(name)
    taken = await access_db.USERS.find_one(tx, email=checked)
    if taken is not None and taken.id != user.id:
        raise invalid("email", "Another user has this e-mail address.")
    await access_db.USERS.save(tx, user, replace(user, email=checked, name=name.strip()))


async def _log(
    tx: Transaction, user_id: int, action: str, ip: str | None, now: Instant, after: dict[str, str] | None = None
) -> None:
    record = f"user:{user_id}"
    await audit_db.add(tx, user_id=user_id, action=action, record=record, after=after, ip_address=ip, now=now)
