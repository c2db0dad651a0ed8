"""Passkeys: added and removed with the password, and a way to sign in, alone or after the password."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules, passkeys as passkeys_rules
from lootkeep.domain.attempts import Limit
from lootkeep.domain.passkeys import MAX_PASSKEYS, Passkey, RelyingParty
from lootkeep.engines import passkeys as webauthn
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable, existing, invalid
from lootkeep.services import attempts, second_factor, sign_in
from lootkeep.storage.access import accounts as accounts_db

NO_SITE = (
    "Browsers use passkeys only over https and with a host name. "
    "Set the public URL to one such as https://lootkeep.shop.example; on one’s own machine http://localhost works."
)
_NOT_PROVEN = "The passkey could not be verified. Try again, with a passkey of yours that was added here."
_PROOF_PURPOSE = "password before passkey"


def site(deps: Deps) -> RelyingParty:
    """Never from the request, whose `Host` anyone could have sent."""
    party = passkeys_rules.relying_party(deps.store.public_url)
    if party is None:
        raise Unprocessable("no_passkeys", NO_SITE)
    return party


async def add(
    deps: Deps, user_id: int, name: str, answer: str, challenge: str, issued_at: Instant, password: str
) -> list[str]:
    """Adds what a browser made. The recovery codes are returned if this is the first second factor."""
    party, now = site(deps), deps.clock.now()
    access_rules.check_name(name)
    await attempts.require_password(deps, user_id, password, "passkey_password")
    try:
        if not passkeys_rules.is_fresh(issued_at, now):
            raise webauthn.NotProven
        credential_id, public_key, count = webauthn.verify_creation(answer, challenge, party)
    except webauthn.NotProven:
        raise Unprocessable("passkey", _NOT_PROVEN) from None
    async with deps.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        others = await accounts_db.PASSKEYS.find(tx, user_id=user_id)
        if len(others) >= MAX_PASSKEYS:
            raise Unprocessable("too_many_passkeys", f"You have {MAX_PASSKEYS} passkeys. Remove one first.")
        passkey = Passkey(0, user_id, name.strip(), credential_id, public_key, count, now)
        if await accounts_db.PASSKEYS.add_if_free(tx, passkey) is None:
            raise Conflict("passkey_exists", "This passkey was added before.")
        if others or account.totp_secret is not None:
            return []
        return await second_factor.renew_codes(tx, deps, user_id, now)


async def remove(deps: Deps, user_id: int, passkey_id: int, password: str) -> str:
    """The name of the passkey that is gone; a browser that someone left signed in is not enough for that."""
    await attempts.require_password(deps, user_id, password, "passkey_password")
    async with deps.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, user_id), "Account")
        passkey = existing(await accounts_db.PASSKEYS.find_one(tx, id=passkey_id, user_id=user_id), "Passkey")
        await accounts_db.PASSKEYS.remove(tx, passkey)
        await second_factor.end_codes(tx, account)
    return passkey.name


def prove_password(deps: Deps, user_id: int, browser: str) -> str:
    """For the form in which the passkey follows: in this browser the password was right just now."""
    return deps.vault.sign(f"{user_id}:{deps.clock.now()}:{_bound(deps, browser)}", _PROOF_PURPOSE)


def user_of_proof(deps: Deps, proof: str, browser: str) -> int | None:
    user, _, rest = (deps.vault.signed(proof, _PROOF_PURPOSE) or "").partition(":")
    proven_at, _, bound = rest.partition(":")
    is_ours = bound == _bound(deps, browser) and passkeys_rules.is_fresh(Instant(int(proven_at)), deps.clock.now())
    return int(user) if bound and is_ours else None


async def enter(
    deps: Deps, answer: str, challenge: str, issued_at: Instant, ip: str, after_password_of: int | None
) -> int:
    """The user of the passkey, who is the one that has given the password if anyone has."""
    party, now, limit = site(deps), deps.clock.now(), attempts.of_network(ip)
    if after_password_of is not None:
        limit = Limit(f"code:{after_password_of}", attempts.PER_USER)
    try:
        async with attempts.counted(deps, limit):
            return await _enter(deps, party, answer, challenge, issued_at, ip, after_password_of)
    except InvalidFields:
        await sign_in.log_failure(deps, after_password_of, "passkey", ip, now)
        raise


async def _enter(
    deps: Deps, party: RelyingParty, answer: str, challenge: str, issued_at: Instant, ip: str, user_id: int | None
) -> int:
    now, is_alone = deps.clock.now(), user_id is None
    try:
        async with deps.db.read() as tx:
            passkey = await accounts_db.PASSKEYS.find_one(tx, credential_id=webauthn.credential_of(answer))
        if passkey is None or user_id not in (None, passkey.user_id) or not passkey.accepts(issued_at, now):
            raise webauthn.NotProven
        count = webauthn.verify_use(answer, challenge, party, passkey, alone=is_alone)
        async with deps.db.write() as tx:
            # Who used it meanwhile may have sent the same answer.
            if await accounts_db.PASSKEYS.lock(tx, passkey.id) != passkey:
                raise webauthn.NotProven
            await accounts_db.PASSKEYS.save(tx, passkey, replace(passkey, sign_count=count, last_used_at=now))
            await sign_in.log_sign_in(tx, passkey.user_id, "passkey" if is_alone else "password and passkey", ip, now)
    except webauthn.NotProven:
        raise invalid("", _NOT_PROVEN) from None
    return passkey.user_id


def _bound(deps: Deps, browser: str) -> str:
    return deps.vault.fingerprint(browser.encode(), _PROOF_PURPOSE)
