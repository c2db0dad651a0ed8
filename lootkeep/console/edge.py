"""The edge of the console: one function states the order of checks for every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

import structlog
from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lootkeep.console import changes, drafts, exports, forms, guard, guests, masking, proxy, tour, undo
from lootkeep.console.formats import Formats
from lootkeep.console.guard import Refused
from lootkeep.console.links import Links
from lootkeep.console.live import Live
from lootkeep.console.looks import Looks
from lootkeep.console.once import once
from lootkeep.console.page import PREFIX, Answer, Done, Options, Page, Stale, Visit, file
from lootkeep.console.render import Navigation, templates
from lootkeep.console.routing import PageRoute, asset, back, nothing
from lootkeep.deps import Deps
from lootkeep.domain import inputs as inputs_rules
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, Conflict, InvalidFields, NotFound, RateLimited, Unavailable, Unprocessable
from lootkeep.services import sign_in as sign_in_service

log = structlog.get_logger(__name__)

_BROKEN = "Something went wrong on our side. It was logged; try again in a moment."
_STATUSES: dict[type[AppError], int] = {
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    InvalidFields: 422,
    Unprocessable: 422,
    RateLimited: 429,
    Unavailable: 503,
}


class Edge:
    """All pages over one store."""

    def __init__(self, deps: Deps, options: Options, pages: tuple[Page, ...]) -> None:
        self._deps = deps
        self._options = options
        self._pages = pages
        environment, _ = self._store_templates()
        self._navigation = Navigation(deps, pages, environment.get_template("_navigation.html"))
        self._get_pages = {page.path: page for page in pages if page.method == "GET"}
        self._links = Links(self._get_pages)
        self._live = Live(deps, options, self._navigation, self._get_pages)
        self._looks = Looks()

    def _store_templates(self) -> tuple[Environment, Formats]:
        """For the zone and currency of now."""
        return templates(self._options.timezone, self._deps.currency)

    def routes(self) -> list[Route]:
        routes = [PageRoute(page.path, self._endpoint(page), methods=[page.method]) for page in self._pages]
        unknown = Page("GET", "/", None, "Not found", nothing)
        return [
            Route(f"{PREFIX}/static/{{name}}", asset, methods=["GET"]),
            Route(f"{PREFIX}/live", self._live.open, methods=["GET"]),
            *routes,
            *(
                PageRoute(page.path, self._lead_back(page), methods=["GET"])
                for page in self._pages
                if page.path not in self._get_pages
            ),
            Route(f"{PREFIX}/{{rest:path}}", self._endpoint(unknown), methods=["GET"]),
        ]

    def _endpoint(self, page: Page) -> Any:
        async def endpoint(request: Request) -> Response:
            secret = guard.read_secret(request, self._options)
            formats = self._store_templates()[1]
            visit = Visit(self._deps, self._options, page, request, self._deps.clock.now(), secret, formats)
            try:
                response = await self._answer(visit)
            except AppError as reason:
                response = await self._refuse(visit, reason)
            except ClientDisconnect:
                response = Response(status_code=400)
            except Exception:
                log.exception("page failed", method=request.method, path=request.url.path)
                response = await self._render(visit, "error.html", {"sentence": _BROKEN, "status": 500}, 500)
            response = masking.mask_response(visit, response)
            for name, value in guard.HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return endpoint

    async def _answer(self, visit: Visit) -> Response:
        """The order of checks: the session, the scope, the form's origin and token, the question, then the page."""
        page = visit.page
        # What a page asks for by itself.
        is_live = "x-live" in visit.request.headers
        if visit.secret and (
            resumed := await sign_in_service.resume(visit.deps, visit.secret, visit.ip, is_seen=not is_live)
        ):
            visit.person, visit.session = resumed
        if page.scope is not None:
            proxy.forget_another(visit)
            await guests.admit(visit)
            if visit.person is None:
                return await self._ask_to_sign_in(visit)
            if not visit.person.may(page.scope):
                raise Refused("forbidden", f"{page.title} needs the scope {page.scope}, which your role does not have.")
        if page.method == "GET":
            # A replica may not have what the page was just notified of.
            visit.deps = self._deps if is_live else self._deps.for_reading()
            if self._looks.are_shared(visit):
                return await self._looks.share(visit, self._look)
            is_restored = await drafts.restore(visit)
            answer: Any = await page.handler(visit)
            return await self._respond(visit, answer | {"message": drafts.RESTORED} if is_restored else answer)
        guard.check_origin(visit.request)
        visit.form = await guard.read_form(visit.request, has_session=visit.person is not None)
        guard.check_token(visit)
        if page.is_preview:
            return await self._respond(visit, await page.handler(visit))
        if page.confirm and visit.form.get("confirmed") != "yes" and (question := await self._question(visit)):
            return await self._render(visit, "form.html", question)
        return await self._respond(visit, await self._change(visit))

    async def _ask_to_sign_in(self, visit: Visit) -> Response:
        """After signing in, the page that was asked for is shown, and on it what was typed before the session ended."""
        asked = visit.request.url
        target = asked.path + (f"?{asked.query}" if asked.query else "")
        if visit.page.method != "GET" and not visit.page.is_preview:
            target = self._path_of_form(visit.page, asked.path)
            draft = await drafts.keep(visit, target)
            target += f"?draft={draft}" if draft else ""
        return RedirectResponse(f"{proxy.sign_in_url(visit)}?next={quote(target)}", 303)

    def _lead_back(self, page: Page) -> Any:
        """A change has no page: reloading its answer leads to the page with its form."""

        async def endpoint(request: Request) -> Response:
            return RedirectResponse(self._path_of_form(page, request.url.path), 303, headers=guard.HEADERS)

        return endpoint

    async def _question(self, visit: Visit) -> Mapping[str, Any]:
        """Whether the change is meant, as a form that sends again what was sent; the record's page has its name."""
        page = self._page_of_form(visit.page)
        record: Any = await page.handler(visit) if page and page.path.endswith("{id}") else {}
        title, submit = record.get("title", visit.page.title), visit.page.title
        if isinstance(visit.page.confirm, str):
            text = f"{submit}? {visit.page.confirm}"
        else:
            text, submit = await visit.page.confirm(visit)
            if not text:
                return {}
        hidden = {name: value for name, value in visit.form.items() if name != "token"} | {"confirmed": "yes"}
        asked = {"title": title, "text": text, "submit": submit, "back": ""}
        form = forms.show(visit, (), None, **asked, hidden=hidden, look="danger", leave="Keep it as it is")
        return form | {"back": back(visit)}

    async def _change(self, visit: Visit) -> Answer:
        """The change and its entry in the audit log, in one transaction unless the page is foreign."""

        async def operation(deps: Deps) -> Done:
            visit.deps = deps
            try:
                answer = await visit.page.handler(visit)
                assert isinstance(answer, Done)
                async with deps.db.write() as tx:
                    await changes.log(tx, visit, answer)
            finally:
                visit.deps = self._deps
            return undo.offer(visit, answer)

        return await once(visit, operation)

    async def _respond(self, visit: Visit, answer: Answer, status: int = 200) -> Response:
        if isinstance(answer, Mapping) and "list" in answer and visit.query.get("format") == "csv":
            answer = exports.export(answer["list"])
        if isinstance(answer, Response):
            await changes.log_export(self._deps, visit, answer)
            return answer
        if isinstance(answer, Done) and answer.secret_page is not None:
            return await self._render(visit, "secret.html", answer.secret_page | {"back": answer.to})
        if isinstance(answer, Done):
            response: Response = RedirectResponse(answer.to, 303)
            guard.end_attempt(response, visit.request)
            if answer.secret is not None:
                guard.set_secret(response, visit.request, self._options, answer.secret)
            if answer.browser:
                guard.set_browser(response, visit.request, self._options, answer.browser)
            if answer.message:
                message = guard.Message(answer.tone, masking.mask_text(visit, answer.message), answer.undo)
                guard.set_message(response, self._deps.vault, visit.request, self._options, message)
            return response
        if (name := visit.query.get("whole", "")) in answer.get("whole", {}):
            return file(f"{name}.txt", answer["whole"][name], "text/plain")
        assert visit.page.template is not None
        return await self._render(visit, visit.page.template, answer, status)

    async def _refuse(self, visit: Visit, reason: AppError) -> Response:
        status = next((_STATUSES[kind] for kind in type(reason).__mro__ if kind in _STATUSES), 500)
        page = self._page_of_form(visit.page)
        if page is not None and visit.form and not isinstance(reason, Refused | NotFound):
            visit.errors = reason.fields or {"": [reason.message]}
            visit.page = page
            try:
                if isinstance(reason, Stale):
                    return await self._show_stale(visit, reason)
                return await self._respond(visit, await page.handler(visit), status)
            except AppError as another:
                reason = another
        sentences = [sentence for sentences in (reason.fields or {}).values() for sentence in sentences]
        values = {"sentence": " ".join(sentences) or reason.message, "status": status}
        return await self._render(visit, "error.html", values, status)

    async def _show_stale(self, visit: Visit, stale: Stale) -> Response:
        """The form with what was typed, what is stored now, and who changed it after the form was shown."""
        version = inputs_rules.integer(stale.shown_version)
        since = visit.now if version is None else Instant(version)
        others = await changes.of_others(self._deps, stale.record, since)
        # Sent again, it overwrites what is shown now.
        visit.form = {name: value for name, value in visit.form.items() if name not in ("version", "confirmed")}
        values: Any = await visit.page.handler(visit)
        stale_values = others | {"differences": forms.differences(visit, values)}
        return await self._respond(visit, {**values, "stale": stale_values}, 409)

    async def _render(self, visit: Visit, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        is_new = not visit.secret
        if is_new:
            # A browser without a cookie gets one: the tokens of its forms are bound to it.
            visit.secret = self._deps.ids.secret()
        is_part = visit.request.headers.get("x-part") == "main"
        message = None if is_part else guard.read_message(visit, self._deps.vault)
        context = await self._context(visit, template, values, guard.new_token(visit), message)
        context["tour"] = await tour.banner(visit)
        environment, _ = self._store_templates()
        # What a template rendered is escaped.
        main = Markup(self._links.only_open(visit, environment.get_template(template).render(context)))  # noqa: S704
        html = main if is_part else environment.get_template("layout.html").render(context, main=main)
        response = Response(html, status, media_type="text/html")
        tour.remember(visit, response)
        if is_new and not visit.is_guest:
            guard.set_secret(response, visit.request, self._options, visit.secret)
        if message:
            guard.clear_message(response)
        return response

    async def _look(self, visit: Visit) -> str:
        """What moves on a page: nobody's name or saved views, and no token of a form."""
        template, values = visit.page.template or "", await visit.page.handler(visit)
        assert isinstance(values, Mapping)
        common = {"list": replace(values["list"], views=())} if "list" in values else {}
        context = await self._context(visit, template, {**values, **common}, "", None)
        main = self._links.only_open(visit, self._store_templates()[0].get_template(template).render(context))
        return f'<header class="side">{context["navigation"]}</header><main id="main">{main}</main>'

    async def _context(
        self, visit: Visit, template: str, values: Mapping[str, Any], token: str, message: guard.Message | None
    ) -> dict[str, Any]:
        return {
            "visit": visit,
            "page": visit.page,
            "title": visit.page.title,
            "now": visit.now,
            "options": self._options,
            "token": token,
            "message": message,
            "navigation": await self._navigation.html(visit.person, visit.page.entry) if visit.person else "",
            "sends_emails": self._deps.sends_emails,
            "may_open": partial(self._links.may_open, visit),
            "live": None,
            "stale": None,
            "is_outside": visit.person is None or (visit.page.scope is None and template != "error.html"),
        } | dict(values)

    def _page_of_form(self, change: Page) -> Page | None:
        """The page that the form of a change is on: of the same path, or of the nearest one above."""
        path = change.path
        while path and path not in self._get_pages:
            path = path.rpartition("/")[0]
        return self._get_pages[path] if path and change.method == "POST" else None

    def _path_of_form(self, change: Page, sent_to: str) -> str:
        """The path of that page, given the path that the form was sent to."""
        page = self._page_of_form(change)
        parts = page.path.count("/") if page else 0
        return "/".join(sent_to.split("/")[: parts + PREFIX.count("/") + 1])
