"""Your account: the password, the second factor, and the browsers that are signed in."""

from __future__ import annotations

from urllib.parse import quote

from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import sign_in
from lootkeep.storage import accounts as accounts_db

_ACCOUNT = "/account"


async def show_account(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        account = await accounts_db.get(tx, visit.user.id)
        sessions = await accounts_db.sessions_of(tx, visit.user.id)
    assert account is not None
    secret = visit.form.get("secret") or sign_in.new_totp_secret()
    label = quote(f"{visit.options.store_name}:{visit.user.email}")
    return {
        "has_totp": account.totp_secret is not None,
        "secret": secret,
        "totp_url": f"otpauth://totp/{label}?secret={secret}&issuer={quote(visit.options.store_name)}",
        "sessions": [session for session in sessions if session.is_valid(visit.now)],
    }


async def change_password(visit: Visit) -> Answer:
    form = visit.form
    if form.get("password") != form.get("repeated"):
        raise Unprocessable("passwords_differ", "The two new passwords are not the same.")
    assert visit.session is not None
    await sign_in.change_password(
        visit.deps, visit.user.id, form.get("current", ""), form.get("password", ""), visit.session.id
    )
    return _done(visit, "Your password is changed, and every other browser is signed out.")


async def start_totp(visit: Visit) -> Answer:
    await sign_in.set_totp(visit.deps, visit.user.id, visit.form.get("secret", ""), visit.form.get("code", ""))
    return _done(visit, "From now on a code is asked for when you sign in.")


async def stop_totp(visit: Visit) -> Answer:
    await sign_in.set_totp(visit.deps, visit.user.id, None, "")
    return _done(visit, "No code is asked for any more.")


async def end_session(visit: Visit) -> Answer:
    await sign_in.end_session(visit.deps, visit.user.id, visit.id)
    return _done(visit, "That browser is signed out.")


def _done(visit: Visit, message: str) -> Done:
    return Done(url(_ACCOUNT), message, record=f"user:{visit.user.id}")


_FORM = ("account.html", show_account)
_STOPPED = "Anyone who has your password can sign in then, without your phone."

PAGES = (
    Page("GET", _ACCOUNT, "read_only", "Your account", show_account, "account.html"),
    change("/account/password", "Change your password", change_password, _FORM, role="read_only", is_foreign=True),
    change("/account/totp", "Ask for a code at sign-in", start_totp, _FORM, role="read_only"),
    change("/account/totp/stop", "Stop asking for a code", stop_totp, confirm=_STOPPED, role="read_only"),
    change("/account/sessions/{id}/end", "Sign a browser out", end_session, role="read_only"),
)
