"""Beyond the specification: how right the signals are, settings tried on past orders, and a buyer explained."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import Field

from lootkeep.api.external.fraud_settings import FraudSettingsChanges, changes
from lootkeep.api.http.fields import Email, IpAddress
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Reply, Route, many, one
from lootkeep.api.http.validation import Body, Query
from lootkeep.deps import Deps
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud import mail
from lootkeep.domain.fraud.comparison import Comparison
from lootkeep.domain.fraud.facts import History, OrderFacts
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.score import is_whitelisted, judge
from lootkeep.domain.identity import domain_of
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import InvalidFields
from lootkeep.storage import counters, customers, fraud_checks, fraud_history, fraud_lists, settings
from lootkeep.views import fraud_reports as views

# So many checks are executed again in one call, the newest.
MOST_CHECKS = 20_000


class BacktestBody(Body):
    """Settings to try, and on how many days."""

    settings: Annotated[
        FraudSettingsChanges,  # type: ignore[valid-type]
        Field(
            description="What to change of the settings now in force.", examples=[{"fraud_sensitivity_level": "high"}]
        ),
    ]
    days: Annotated[int, Field(ge=1, le=365, description="Checks of so many days are taken.", examples=[30])] = 30


class ExplainQuery(Query):
    """The buyer in question: an address, an e-mail or both."""

    ip: Annotated[IpAddress | None, Field(description="The address an order would come from.")] = None
    email: Annotated[Email | None, Field(description="The buyer's e-mail.")] = None


async def report_signals(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        kept = await counters.totals(tx, fraud_checks.SIGNAL_COUNTER)
    return Reply(views.signal_report(kept))


async def backtest_settings(call: Call[BacktestBody, None]) -> Reply:
    body: Any = call.body
    now = call.deps.clock.now()
    oldest = now - body.days * DAY
    async with call.deps.db.read(slow=True) as tx:
        current = await settings.get(tx, SETTINGS, Policy)
        found = Comparison(replace(current, **changes(body.settings.sent())))
        place: tuple[Instant, int] = (Instant(now + 1), 0)
        while found.checks < MOST_CHECKS:
            batch = await fraud_lists.before(tx, *place, oldest)
            if not batch:
                break
            for check in batch:
                found.add(check)
            place = batch[-1].place
    return Reply(views.backtest(found, is_complete=found.checks < MOST_CHECKS))


async def explain_buyer(call: Call[None, ExplainQuery]) -> Reply:
    ip_address, email = call.query.ip, call.query.email
    if ip_address is None and email is None:
        sentence = "The ip field or the email field is required."
        raise InvalidFields({"ip": [sentence], "email": [sentence]})
    deps = call.deps
    now = deps.clock.now()
    async with deps.db.read() as tx:
        policy = await settings.get(tx, SETTINGS, Policy)
        customer = await customers.by_email(tx, email) if email else None
        buyer = fraud_history.Buyer(now, email, ip_address, customer_id=customer.id if customer else 0)
        (history,) = await fraud_history.gather(tx, policy, [buyer])
        ends = await fraud_history.ends(tx, policy, now, email=email, ip_address=ip_address)
    if customer:
        ends["account_age"] = Instant(customer.created_at + DAY)
    facts = _facts(deps, now, ip_address, email, customer, history)
    return Reply(
        views.explanation(
            judge(facts, policy),
            ends,
            is_known_customer=customer is not None,
            is_whitelisted=is_whitelisted(facts, policy),
        )
    )


def _facts(
    deps: Deps, now: Instant, ip_address: str | None, email: str | None, customer: Customer | None, history: History
) -> OrderFacts:
    """An order of which nothing is known but who would place it, and from where."""
    return OrderFacts(
        at=now,
        email=email or "",
        ip_address=ip_address,
        customer_created_at=customer.created_at if customer else None,
        is_user_agent_asked=False,
        network=deps.intelligence.network(ip_address),
        mail=mail.describe(email, is_disposable=deps.intelligence.is_disposable(domain_of(email)))
        if email
        else mail.NONE,
        history=history,
    )


ROUTES = (
    Route(
        "GET",
        "/fraud/signals",
        report_signals,
        "fraud:read",
        "Read how right each signal is",
        many(views.SignalReportView),
        description="How often it counted, and what reviewers made of those orders.",
        is_extension=True,
    ),
    Route(
        "POST",
        "/fraud/backtest",
        backtest_settings,
        "fraud:write",
        "Try settings on past orders",
        one(views.BacktestView),
        body=BacktestBody,
        max_body=MAX_LARGE_BODY,
        description="Executes stored checks again under the settings sent and changes nothing. Counts of orders are "
        "those of the window that was in force.",
        is_foreign=True,
        is_extension=True,
    ),
    Route(
        "GET",
        "/fraud/explain",
        explain_buyer,
        "fraud:read",
        "Explain what counts against a buyer now",
        one(views.ExplanationView),
        query=ExplainQuery,
        description="As if an order came from this address and e-mail at this moment; nothing is recorded.",
        is_extension=True,
    ),
)
