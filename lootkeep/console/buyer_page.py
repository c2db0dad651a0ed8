"""The pages of buyers: what their order handed over. No account, no script; anyone who has the link sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lootkeep.console import guard, guests
from lootkeep.console.formats import Formats
from lootkeep.console.page import BUYER_PREFIX, Options
from lootkeep.console.render import ASSETS, templates
from lootkeep.deps import Deps
from lootkeep.domain import colours as colours_rules, inputs as inputs_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.goods import Good, GoodState
from lootkeep.domain.orders import FRAUD
from lootkeep.domain.store_settings import Logo
from lootkeep.domain.tickets import MAX_MESSAGE_LENGTH, TicketForm
from lootkeep.kernel.errors import AppError, NotFound, RateLimited, Unavailable, Unprocessable
from lootkeep.services import goods as goods_service, settings as settings_service, tickets as tickets_service
from lootkeep.services.goods import OrderGoods

log = structlog.get_logger(__name__)

# Of one network in a minute, over all pages: a household opens few, a guesser many.
_MAX_REQUESTS = 60
_DEFAULT_COLOUR = "#4f46e5"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = guard.HEADERS | {"content-security-policy": _POLICY, "referrer-policy": "no-referrer"}
# E-mails and the console show it, too.
_SHARED = {"cross-origin-resource-policy": "cross-origin", "content-security-policy": "default-src 'none'; sandbox"}
_MAX_USER_AGENT = 512

_LABELS: dict[GoodState, str] = {
    "waiting": "On its way",
    "delivered": "Delivered",
    "failed": "We are on it",
    "revoked": "No longer valid",
    "replaced": "Replaced",
    "expired": "Ended",
}

_MISTAKE = "Write to us if you think that is a mistake."
_NO_KEY = "We are out of keys and have ordered more. Yours appears here as soon as they arrive."

Handler = Callable[[Request], Awaitable[Response]]


class BuyerPages:
    def __init__(self, deps: Deps, options: Options) -> None:
        self._deps = deps
        self._options = options
        # Read once for each version of the settings.
        self._logo_version, self._logo_file = 0, Logo()

    @property
    def _formats(self) -> Formats:
        return templates(self._options.timezone, self._deps.currency)[1]

    def routes(self) -> list[Route]:
        page = f"{BUYER_PREFIX}/{{token}}"
        return [
            Route(f"{BUYER_PREFIX}/page.css", self._style, methods=["GET"]),
            Route(f"{BUYER_PREFIX}/logo/{{name}}", self._logo, methods=["GET"]),
            Route(page, self._guarded(self._show), methods=["GET"]),
            Route(f"{page}/show", self._guarded(self._show_key), methods=["POST"]),
            # Reloading the answer to a form leads to its page.
            Route(f"{page}/show", self._lead_back, methods=["GET"]),
            Route(f"{page}/files/{{item_id}}", self._guarded(self._open_file), methods=["GET"]),
            Route(f"{page}/ticket", self._guarded(self._ask), methods=["POST"]),
            Route(f"{page}/ticket", self._lead_back, methods=["GET"]),
        ]

    def _guarded(self, handler: Handler) -> Handler:
        async def endpoint(request: Request) -> Response:
            try:
                await self._limit(request)
                if self._deps.demo.is_open_house and handler != self._show:
                    # What is opened is recorded with the visitor's address, and what is written is seen by others.
                    raise Unprocessable(*guests.REFUSED)
                return await handler(request)
            except NotFound:
                sentence = "This link is not valid or not complete. Please copy it from the e-mail again."
                return self._failed("Unknown link", sentence, 404)
            except RateLimited as limited:
                return self._failed(
                    "Please wait a moment", str(limited), 429, {"retry-after": str(limited.retry_after)}
                )
            except AppError as error:
                return self._failed("That did not work", str(error), 503 if isinstance(error, Unavailable) else 422)
            except Exception:
                # Without its path, which is the key to the order.
                log.exception("the page of a buyer failed")
                return self._failed("Something went wrong", "That is our mistake. Please try again later.", 500)

        return endpoint

    async def _limit(self, request: Request) -> None:
        now = self._deps.clock.now()
        state = await self._deps.limiter.hit(f"buyer page {network_key(_ip(request) or '')}", _MAX_REQUESTS, now)
        if not state.is_allowed:
            seconds = state.retry_after(now)
            raise RateLimited("rate_limited", f"Too many requests. Try again in {seconds} seconds.", seconds)

    async def _show(self, request: Request) -> Response:
        token = request.path_params["token"]
        page = await goods_service.load_page(self._deps.for_reading(), token)
        return self._page(page, token, asked="asked" in request.query_params)

    async def _show_key(self, request: Request) -> Response:
        token = request.path_params["token"]
        form = await guard.read_form(request, has_session=False)
        item_id, key_id = (inputs_rules.integer(form.get(name, "")) for name in ("item", "key"))
        if not item_id or not key_id:
            raise NotFound("Good")
        page, value = await goods_service.look(self._deps, token, item_id, key_id, _ip(request), _browser(request))
        return self._page(page, token, opened={key_id: value})

    async def _open_file(self, request: Request) -> Response:
        token, item_id = request.path_params["token"], inputs_rules.integer(request.path_params["item_id"])
        if not item_id:
            raise NotFound("Good")
        _, target = await goods_service.look(self._deps, token, item_id, None, _ip(request), _browser(request))
        return RedirectResponse(target, 303, _HEADERS)

    async def _ask(self, request: Request) -> Response:
        token = request.path_params["token"]
        message = (await guard.read_form(request, has_session=True)).get("message", "").replace("\0", "").strip()
        page = await goods_service.load_page(self._deps, token)
        if not 1 <= len(message) <= MAX_MESSAGE_LENGTH:
            error = f"Please write what happened, in at most {MAX_MESSAGE_LENGTH:,} characters."
            return self._page(page, token, error=error, message=message[:MAX_MESSAGE_LENGTH], status=422)
        order = page.details.order
        form = TicketForm(order.customer_id, f"Order {order.number}", message, category="order", order_id=order.id)
        await tickets_service.open_ticket(self._deps, form)
        return RedirectResponse(f"{BUYER_PREFIX}/{token}?asked", 303, _HEADERS)

    async def _lead_back(self, request: Request) -> Response:
        return RedirectResponse(f"{BUYER_PREFIX}/{request.path_params['token']}", 303, _HEADERS)

    async def _style(self, _: Request) -> Response:
        colour = self._deps.store.colour or _DEFAULT_COLOUR
        light, dark = colours_rules.on_light(colour), colours_rules.on_dark(colour)
        css = f":root{{--accent:{light};--on-accent:#fff}}\n@media (prefers-color-scheme:dark)"
        css += f"{{:root{{--accent:{dark};--on-accent:#17171f}}}}\n{ASSETS['buyer.css'][1].decode()}"
        headers = {"x-content-type-options": "nosniff", "cache-control": "max-age=3600"}
        return Response(css, 200, headers, "text/css")

    async def _logo(self, request: Request) -> Response:
        """In its file; an e-mail of earlier may have the address of another one."""
        path = self._deps.store.logo
        if path is None:
            return Response("Not found", 404, _HEADERS, "text/plain")
        if request.url.path != path:
            return RedirectResponse(path, 302, _HEADERS)
        if self._deps.settings.version != self._logo_version:
            self._logo_version, self._logo_file = self._deps.settings.version, await settings_service.logo(self._deps)
        stored = {"cache-control": "public, max-age=31536000, immutable", "content-type": self._logo_file.media_type}
        return Response(self._logo_file.content, 200, _HEADERS | _SHARED | stored)

    def _page(
        self,
        page: OrderGoods,
        token: str,
        *,
        opened: dict[int, str] | None = None,
        asked: bool = False,
        error: str = "",
        message: str = "",
        status: int = 200,
    ) -> Response:
        order, items = page.details.order, {item.id: item for item in page.details.items}
        goods = [self._good(good, items[good.item_id].product_name, page, opened or {}) for good in page.goods]
        waiting = sum(good.state in ("waiting", "failed") for good in page.goods)
        title, notice = _headline(page)
        values = {
            "title": title,
            "notice": notice,
            "summary": _summary(len(goods), waiting) if page.is_shown else "",
            "goods": sorted(goods, key=lambda good: good.rank),
            "order": order,
            "items": page.details.items,
            "token": token,
            "asked": asked,
            "error": error,
            "message": message,
            "max_message": MAX_MESSAGE_LENGTH,
        }
        return self._render(values, status)

    def _good(self, good: Good, name: str, page: OrderGoods, opened: dict[int, str]) -> SimpleNamespace:
        is_there = page.is_shown and good.state == "delivered"
        return SimpleNamespace(
            name=name,
            detail=self._detail(good),
            label=_label(good, page),
            state=good.state,
            sentence=self._sentence(good) if page.is_shown or good.state == "revoked" else "",
            item_id=good.item_id,
            key_id=good.key_id,
            masked=good.masked,
            revealed_at=good.revealed_at,
            value=opened.get(good.key_id or 0),
            can_show=is_there and good.kind == "key",
            can_download=is_there and good.url is not None,
            # What waits comes first, then keys; what ended comes last.
            rank=(good.state not in ("waiting", "failed"), good.state not in ("delivered",), good.kind != "key"),
        )

    def _detail(self, good: Good) -> str:
        player = f"for {good.player.name or good.player.id}" if good.player else ""
        day = f"delivered {self._formats.day(good.delivered_at)}" if good.delivered_at else ""
        detail = " · ".join(part for part in (good.server, player, day) if part)
        return detail[:1].upper() + detail[1:] if not good.server else detail

    def _sentence(self, good: Good) -> str:
        if good.state == "delivered" and good.expires_at is not None:
            return f"Yours until {self._formats.day(good.expires_at)}."
        if good.state == "waiting" and good.server and good.needs_player_online:
            return f"Waits until you join {good.server}. You get it there within a minute."
        if good.state == "waiting" and good.server:
            return f"{good.server} gives it to you as soon as it can. There is nothing for you to do."
        if good.state == "failed":
            return f"{good.server} could not give it to you yet. We look after it; there is nothing for you to do."
        if good.kind != "key":
            return ""
        return {"revoked": "The key is no longer valid.", "waiting": _NO_KEY}.get(good.state, "")

    def _failed(self, title: str, sentence: str, status: int, headers: dict[str, str] | None = None) -> Response:
        return self._render({"title": title, "sentence": sentence, "order": None}, status, headers)

    def _render(self, values: dict[str, Any], status: int, headers: dict[str, str] | None = None) -> Response:
        environment, _ = templates(self._options.timezone, self._deps.currency)
        html = environment.get_template("buyer_page.html").render(values | {"store": self._deps.store})
        return Response(html, status, _HEADERS | (headers or {}), "text/html")


def _label(good: Good, page: OrderGoods) -> str:
    if good.state in ("waiting", "failed") and not page.is_shown:
        # Nothing is promised while nothing is shown.
        return "Not delivered"
    return "Waits for you" if good.state == "waiting" and good.needs_player_online else _LABELS[good.state]


def _headline(page: OrderGoods) -> tuple[str, str]:
    """The title, and why nothing is shown."""
    order = page.details.order
    if order.status == "refunded":
        return "This order was refunded", "The money goes back the way it came; banks take up to 10 days to show it."
    if order.status == "cancelled":
        reason = "It was not paid." if order.cancel_reason != FRAUD else _MISTAKE
        return "This order was cancelled", reason
    if page.is_fraud and order.paid_at is not None:
        return (
            "This order did not pass our review",
            "Nothing is shown here. Write to us if you think that is a mistake.",
        )
    if page.is_disputed:
        return "The payment of this order is disputed", "Nothing can be shown until the bank has decided."
    if order.received_at is None:
        return "Your order waits for its payment", "What you bought appears here once the payment has arrived."
    if order.paid_at is None:
        return "Your order is being checked", "What you bought appears here as soon as that is done."
    return "Your order is here", ""


def _summary(goods: int, waiting: int) -> str:
    if not waiting:
        return "everything is delivered" if goods else ""
    return "one thing is on its way" if waiting == 1 else f"{waiting} things are on their way"


def _ip(request: Request) -> str | None:
    return request.client.host if request.client else None


def _browser(request: Request) -> str | None:
    return request.headers.get("user-agent", "").replace("\0", "")[:_MAX_USER_AGENT] or None
