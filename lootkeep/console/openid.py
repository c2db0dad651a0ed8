"""Signing in at an OpenID Connect provider: the way there, and the way back."""

from __future__ import annotations

import hmac

from starlette.responses import RedirectResponse

from lootkeep.console import guard
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.signing_in import begin
from lootkeep.engines.openid import Attempt, ProviderError
from lootkeep.kernel.clock import MINUTE
from lootkeep.kernel.errors import AppError
from lootkeep.services import sign_in as sign_in_service, single_sign_on as single_sign_on_service

# How long someone may take to sign in at the provider.
_LIFETIME = 10 * MINUTE
# A cookie holds it.
_MAX_TARGET = 1000
_NONE = "No provider is set up. Sign in with your password."
_EXPIRED = "This sign-in was started in another browser, or too long ago. Start again."


async def start(visit: Visit) -> Answer:
    provider = visit.deps.openid
    if provider is None:
        return _back(_NONE)
    seed = visit.deps.ids.secret()
    try:
        to = await provider.sign_in_url(_attempt(visit, seed), _redirect_url(visit))
    except ProviderError as reason:
        return _back(str(reason))
    response = RedirectResponse(to, 303)
    guard.set_attempt(response, visit, f"{seed} {visit.now + _LIFETIME} {visit.query.get('next', '')[:_MAX_TARGET]}")
    return response


async def finish(visit: Visit) -> Answer:
    """The browser brings back what the provider gave it, to the attempt that it began."""
    provider = visit.deps.openid
    if provider is None:
        return _back(_NONE)
    seed, _, rest = guard.read_attempt(visit).partition(" ")
    until, _, target = rest.partition(" ")
    attempt = _attempt(visit, seed)
    is_ours = hmac.compare_digest(attempt.state.encode(), visit.query.get("state", "").encode())
    if not seed or not is_ours or visit.now >= int(until):
        await sign_in_service.log_failure(visit.deps, None, "state", visit.ip, visit.now)
        return _back(_EXPIRED)
    if "error" in visit.query:
        return _back("The provider did not sign you in.")
    try:
        claims = await provider.claims(attempt, visit.query, _redirect_url(visit), visit.now)
        user_id = await single_sign_on_service.enter(visit.deps, provider, claims, visit.ip)
    except ProviderError as reason:
        await sign_in_service.log_failure(visit.deps, None, "provider", visit.ip, visit.now)
        return _back(str(reason))
    except AppError as reason:
        return _back(reason.message)
    return await begin(visit, user_id, target)


def _attempt(visit: Visit, seed: str) -> Attempt:
    """All of it follows from what the browser keeps, and nobody else can compute it."""
    return Attempt(*(visit.deps.vault.fingerprint(seed.encode(), f"openid {part}") for part in ("a", "b", "c")))


def _redirect_url(visit: Visit) -> str:
    """Never from the request, whose `Host` anyone could have sent."""
    return f"{visit.options.store.public_url}{url('/sign-in/openid/callback')}"


def _back(sentence: str) -> Done:
    return Done(url("/sign-in"), sentence, tone="bad")


PAGES = (
    Page("GET", "/sign-in/openid", None, "Sign in", start),
    Page("GET", "/sign-in/openid/callback", None, "Sign in", finish),
)
