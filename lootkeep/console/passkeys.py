"""Passkeys: signing in with one, and those of your account. The browser answers a challenge, the token of the form."""

from __future__ import annotations

from lootkeep.console import guard
from lootkeep.console.page import Answer, Done, Visit, change, url
from lootkeep.console.signing_in import begin, show_codes
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import passkeys as passkeys_service

_OFF = "Signing in with a passkey is switched off, as with a password. Use the provider."


async def sign_in(visit: Visit) -> Answer:
    credential = _credential(visit)
    user_id = passkeys_service.user_of_proof(visit.deps, visit.form.get("proof", ""), visit.secret)
    challenge = visit.form["token"], guard.issued_at(visit)
    user_id = await passkeys_service.enter(visit.deps, credential, *challenge, visit.ip, user_id)
    return await begin(visit, user_id, visit.form.get("next", ""))


async def add(visit: Visit) -> Answer:
    credential, name = _credential(visit), visit.form.get("name", "").strip()
    challenge, password = (visit.form["token"], guard.issued_at(visit)), visit.form.get("passkey_password", "")
    codes = await passkeys_service.add(visit.deps, visit.user.id, name, credential, *challenge, password)
    if codes:
        return show_codes(visit, "The passkey is added.", codes, {"passkey": name})
    return _done(visit, "The passkey is added.", {}, {"passkey": name})


def _credential(visit: Visit) -> str:
    """What the browser answered."""
    if not visit.options.has_passwords:
        raise Unprocessable("no_passwords", _OFF)
    if not visit.form.get("credential"):
        raise Unprocessable("no_script", "Passkeys need JavaScript, and a browser that has them.")
    return visit.form["credential"]


async def remove(visit: Visit) -> Answer:
    password = visit.form.get("passkey_password", "")
    name = await passkeys_service.remove(visit.deps, visit.user.id, visit.id, password)
    return _done(visit, f"The passkey {name} is removed.", {"passkey": name}, {})


def _done(visit: Visit, message: str, before: dict[str, str], after: dict[str, str]) -> Done:
    return Done(url("/account"), message, f"user:{visit.user.id}", before, after)


PAGES = (
    change("/sign-in/passkey", None, "Sign in", sign_in, is_foreign=True),
    change("/account/passkeys", "account", "Add a passkey", add, is_foreign=True),
    change("/account/passkeys/{id}/remove", "account", "Remove a passkey", remove, is_foreign=True),
)
