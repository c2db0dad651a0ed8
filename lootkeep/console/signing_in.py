"""Signing in and out, the one-time links that set a password, and your account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from markupsafe import Markup

from lootkeep.console import guard, qr, tour
from lootkeep.console.page import PREFIX, Answer, Done, Page, Visit, change, url
from lootkeep.domain import passkeys as passkeys_rules
from lootkeep.engines import passkeys as webauthn
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import (
    passkeys as passkeys_service,
    second_factor as second_factor_service,
    sign_in as sign_in_service,
)
from lootkeep.storage.access import accounts as accounts_db


async def show_sign_in(visit: Visit) -> Answer:
    if visit.person is not None:
        return Done(PREFIX)
    proof = visit.form.get("proof", "")
    user_id = passkeys_service.user_of_proof(visit.deps, proof, visit.secret)
    async with visit.deps.db.read() as tx:
        own = await accounts_db.PASSKEYS.find(tx, user_id=user_id) if user_id is not None else []
    party = passkeys_rules.relying_party(visit.options.store.public_url) if visit.options.has_passwords else None
    values: dict[str, object] = {}
    if visit.errors.get("") == [sign_in_service.PASSKEY_NEXT]:
        visit.errors, values = {}, {"message": guard.Message("info", sign_in_service.PASSKEY_NEXT)}
    return values | {
        "passkey": webauthn.request_options(party, own) if party else None,
        "proof": proof if own else "",
        "is_set_up": await sign_in_service.is_set_up(visit.deps),
        "next": visit.form.get("next") or visit.query.get("next"),
        "has_openid": visit.deps.openid is not None,
        "has_proxy": visit.options.proxy is not None,
        # Guests of an open house need no link.
        "steps": await tour.steps(visit.deps) if visit.deps.demo.is_begun and not visit.deps.demo.is_open_house else [],
    }


async def do_sign_in(visit: Visit) -> Answer:
    form = visit.form
    if not visit.options.has_passwords:
        raise Unprocessable("no_passwords", "Signing in with a password is switched off. Use the provider.")
    email, password, code = (form.get(field, "") for field in ("email", "password", "code"))
    browser = guard.read_browser(visit)
    try:
        user_id = await sign_in_service.sign_in(visit.deps, email, password, code, visit.ip, browser)
    except sign_in_service.PasskeyNeeded as needed:
        proof = passkeys_service.prove_password(visit.deps, needed.user_id, visit.secret)
        visit.form = {**form, "proof": proof}
        raise
    return await begin(visit, user_id, form.get("next", ""))


async def sign_out(visit: Visit) -> Answer:
    if visit.session is not None:
        await sign_in_service.end_session(visit.deps, visit.user.id, visit.session.id)
    return Done(url("/sign-in"), "You are signed out.", secret="")


async def show_link(visit: Visit) -> Answer:
    """Looking changes nothing: scanners of e-mails and chats follow every link."""
    link = visit.form.get("link") or visit.query.get("token", "")
    user = await sign_in_service.user_of_link(visit.deps, link)
    if user is None:
        raise Unprocessable(
            "link_used", "This link was used before or is too old. `lootkeep user link` prints a new one."
        )
    return {"link": link, "user": user, "needs_name": sign_in_service.needs_name(user)}


async def use_link(visit: Visit) -> Answer:
    form = visit.form
    if form.get("password") != form.get("repeated"):
        raise Unprocessable("passwords_differ", "The two passwords are not the same.")
    link, password, email, name = (form.get(field, "") for field in ("link", "password", "email", "name"))
    user_id = await sign_in_service.use_link(visit.deps, link, password, email=email, name=name, ip=visit.ip)
    return await begin(visit, user_id, "")


async def begin(visit: Visit, user_id: int, target: str) -> Done:
    """A session of its own for every sign-in: the cookie of before is worth nothing."""
    if visit.session is not None:
        await sign_in_service.end_session(visit.deps, visit.session.user_id, visit.session.id)
    secret = await sign_in_service.start_session(visit.deps, user_id, visit.ip, visit.request.headers.get("user-agent"))
    # Only ever a page of the console.
    is_ours = target == PREFIX or target.startswith(f"{PREFIX}/")
    to = target if is_ours and "\\" not in target else PREFIX
    return Done(to, secret=secret, browser=sign_in_service.name_browser(visit.deps, user_id))


_ACCOUNT = "/account"
_ELSEWHERE = "You sign in elsewhere. Passkeys are for accounts with a password here."
# What phones show of the name of a store; a longer one makes a QR code hard to scan.
_MAX_ISSUER = 30


async def show_account(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        account = await accounts_db.ROWS.get(tx, visit.user.id)
        sessions = await accounts_db.sessions_of(tx, visit.user.id)
        codes_left = await accounts_db.count_recovery_codes(tx, visit.user.id)
        passkeys = await accounts_db.PASSKEYS.find(tx, user_id=visit.user.id)
    assert account is not None
    secret, setup = second_factor_service.offer(visit.deps, visit.user.id, visit.form.get("setup", ""))
    issuer = quote(visit.options.store_name[:_MAX_ISSUER])
    totp_url = f"otpauth://totp/{issuer}:{quote(visit.user.email)}?secret={secret}&issuer={issuer}"
    party = passkeys_rules.relying_party(visit.options.store.public_url)
    you = visit.user.id, visit.user.email, visit.user.name
    return {
        "passkeys": passkeys,
        "no_passkeys": _ELSEWHERE if account.password_hash is None else "" if party else passkeys_service.NO_SITE,
        "passkey": webauthn.creation_options(party, visit.options.store_name, you, passkeys) if party else None,
        "has_second_factor": account.totp_secret is not None or bool(passkeys),
        "has_totp": account.totp_secret is not None,
        "secret": secret,
        "setup": setup,
        "totp_url": totp_url,
        "qr_code": Markup(qr.svg(totp_url)),  # noqa: S704  of rectangles alone
        "codes_left": codes_left,
        "sessions": [session for session in sessions if session.is_valid(visit.now)],
    }


async def change_password(visit: Visit) -> Answer:
    form = visit.form
    if form.get("password") != form.get("repeated"):
        raise Unprocessable("passwords_differ", "The two new passwords are not the same.")
    assert visit.session is not None
    await sign_in_service.change_password(
        visit.deps, visit.user.id, form.get("current", ""), form.get("password", ""), visit.session.id
    )
    return _done(visit, "Your password is changed, and every other browser is signed out.")


async def start_totp(visit: Visit) -> Answer:
    setup, code, password = (visit.form.get(name, "") for name in ("setup", "code", "own_password"))
    codes = await second_factor_service.start(visit.deps, visit.user.id, setup, code, password)
    return show_codes(visit, "Two-factor authentication is on.", codes)


async def stop_totp(visit: Visit) -> Answer:
    await second_factor_service.stop(visit.deps, visit.user.id, visit.form.get("own_password", ""))
    return _done(visit, "Two-factor authentication is off.")


async def renew_codes(visit: Visit) -> Answer:
    codes = await second_factor_service.new_codes(visit.deps, visit.user.id, visit.form.get("own_password", ""))
    return show_codes(visit, "The previous recovery codes no longer work.", codes)


def show_codes(visit: Visit, sentence: str, codes: Sequence[str], after: Mapping[str, str] | None = None) -> Done:
    advice = "If you lose your phone or passkey, each of these recovery codes signs you in once, in place of a code."
    file = f"{visit.options.store_name} recovery codes.txt"
    secret_page = {
        "title": "Recovery codes",
        "sentence": f"{sentence} {advice}",
        "secret": "\n".join(codes),
        "file": file,
    }
    return Done(url(_ACCOUNT), record=f"user:{visit.user.id}", after=after, secret_page=secret_page)


async def end_session(visit: Visit) -> Answer:
    await sign_in_service.end_session(visit.deps, visit.user.id, visit.id)
    return _done(visit, "That browser is signed out.")


def _done(visit: Visit, message: str) -> Done:
    return Done(url(_ACCOUNT), message, record=f"user:{visit.user.id}")


PAGES = (
    Page("GET", "/sign-in", None, "Sign in", show_sign_in, "sign_in.html"),
    change("/sign-in", None, "Sign in", do_sign_in, is_foreign=True),
    change("/sign-out", "account", "Sign out", sign_out),
    Page("GET", "/setup", None, "Choose a password", show_link, "setup.html"),
    change("/setup", None, "Choose a password", use_link, is_foreign=True),
    Page("GET", _ACCOUNT, "account", "Your account", show_account, "account.html"),
    change("/account/password", "account", "Change your password", change_password, is_foreign=True),
    change("/account/totp", "account", "Turn on two-factor authentication", start_totp, is_foreign=True),
    change("/account/totp/stop", "account", "Turn off two-factor authentication", stop_totp, is_foreign=True),
    change("/account/recovery", "account", "Make new recovery codes", renew_codes, is_foreign=True),
    change("/account/sessions/{id}/end", "account", "Sign a browser out", end_session),
)
