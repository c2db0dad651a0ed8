"""Signing in and out, and the one-time links that set a password."""

from __future__ import annotations

from lootkeep.console.page import PREFIX, Answer, Done, Page, Visit, url
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import sign_in


async def show_sign_in(visit: Visit) -> Answer:
    if visit.person is not None:
        return Done(PREFIX)
    return {"is_set_up": await sign_in.is_set_up(visit.deps), "next": visit.form.get("next") or visit.query.get("next")}


async def do_sign_in(visit: Visit) -> Answer:
    form = visit.form
    user_id = await sign_in.sign_in(
        visit.deps, form.get("email", ""), form.get("password", ""), form.get("code", ""), visit.ip
    )
    return await _begin(visit, user_id, form.get("next", ""))


async def sign_out(visit: Visit) -> Answer:
    if visit.session is not None:
        await sign_in.end_session(visit.deps, visit.user.id, visit.session.id)
    return Done(url("/sign-in"), "You are signed out.", secret="")


async def show_link(visit: Visit) -> Answer:
    """Looking changes nothing: scanners of e-mails and chats follow every link."""
    link = visit.form.get("link") or visit.query.get("token", "")
    user = await sign_in.user_of_link(visit.deps, link)
    if user is None:
        raise Unprocessable(
            "link_used",
            "This link was used before or is too old. `lootkeep user link` prints a new one.",
        )
    return {"link": link, "user": user, "needs_name": sign_in.needs_name(user)}


async def use_link(visit: Visit) -> Answer:
    form = visit.form
    if form.get("password") != form.get("repeated"):
        raise Unprocessable("passwords_differ", "The two passwords are not the same.")
    user_id = await sign_in.use_link(
        visit.deps,
        form.get("link", ""),
        form.get("password", ""),
        email=form.get("email", ""),
        name=form.get("name", ""),
        ip=visit.ip,
    )
    return await _begin(visit, user_id, "")


async def _begin(visit: Visit, user_id: int, target: str) -> Done:
    """A session of its own for every sign-in: the cookie of before is worth nothing."""
    if visit.session is not None:
        await sign_in.end_session(visit.deps, visit.session.user_id, visit.session.id)
    secret = await sign_in.start_session(visit.deps, user_id, visit.ip, visit.request.headers.get("user-agent"))
    # Only ever a page of the console.
    is_ours = target == PREFIX or target.startswith(f"{PREFIX}/")
    return Done(target if is_ours and "\\" not in target else PREFIX, secret=secret)


PAGES = (
    Page("GET", "/sign-in", None, "Sign in", show_sign_in, "sign_in.html"),
    Page("POST", "/sign-in", None, "Sign in", do_sign_in, "sign_in.html", again=show_sign_in, is_foreign=True),
    Page("POST", "/sign-out", "read_only", "Sign out", sign_out),
    Page("GET", "/setup", None, "Choose a password", show_link, "setup.html"),
    Page("POST", "/setup", None, "Choose a password", use_link, "setup.html", again=show_link, is_foreign=True),
)
