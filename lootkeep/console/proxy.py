"""Signing in by the word of a proxy in front of the service, which names the person in a header."""

from __future__ import annotations

from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.signing_in import begin
from lootkeep.kernel.errors import AppError
from lootkeep.services import single_sign_on as single_sign_on_service

_PATH = "/sign-in/proxy"
# Under this name the server puts the address of the connection into the scope, whatever `X-Forwarded-For` says.
PEER = "lootkeep.peer"
_NOBODY = "The proxy did not say who you are."


def named(visit: Visit) -> str | None:
    """The address of whom the proxy names, if this request comes from it."""
    proxy, request = visit.options.proxy, visit.request
    if proxy is None:
        return None
    peer = request.scope.get(PEER) or (request.client.host if request.client else "")
    return proxy.email(peer, request.headers.raw)


def forget_another(visit: Visit) -> None:
    """The session is of someone else than who has signed in at the proxy now."""
    if visit.person is not None and named(visit) not in (None, visit.person.email):
        visit.person = visit.session = None


def sign_in_url(visit: Visit) -> str:
    """Where someone goes who is not signed in."""
    return url("/sign-in" if named(visit) is None else _PATH)


async def sign_in(visit: Visit) -> Answer:
    proxy, email = visit.options.proxy, named(visit)
    if proxy is None or email is None:
        return Done(url("/sign-in"), _NOBODY, tone="bad")
    groups = proxy.groups(visit.request.headers.raw) if proxy.groups_header else None
    try:
        user_id = await single_sign_on_service.enter_by_proxy(visit.deps, email, groups, proxy.roles, visit.ip)
    except AppError as reason:
        return Done(url("/sign-in"), reason.message, tone="bad")
    return await begin(visit, user_id, visit.query.get("next", ""))


PAGES = (Page("GET", _PATH, None, "Sign in", sign_in),)
