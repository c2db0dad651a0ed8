"""Beyond the specification: how right the signals are, settings tried on past orders, and a buyer explained."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.external.fraud_rules import EXAMPLE, Expression, Points
from lootkeep.api.external.fraud_settings import FraudSettingsChanges, changes
from lootkeep.api.http.fields import Email, IpAddress
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Reply, Route, many, single
from lootkeep.api.http.validation import Body, Query
from lootkeep.domain.fraud.rule import RuleAction
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.services import fraud_reports as fraud_reports_service
from lootkeep.storage import fraud_truth
from lootkeep.views import fraud_reports as fraud_reports_views


class TriedRuleBody(Body):
    """A rule to try as if it were on."""

    id: Annotated[int | None, Field(description="The rule whose place it takes; null for a new one.")] = None
    expression: Annotated[Expression, Field(description="Which orders it fits.", examples=[EXAMPLE])]
    action: Annotated[RuleAction, Field(description="What is done with them.", examples=["verify"])]
    points: Annotated[Points, Field(description="With the action `points`: what is added to the score.")] = 0


class BacktestBody(Body):
    """Settings or a rule to try, and on how many days."""

    settings: Annotated[
        FraudSettingsChanges,  # type: ignore[valid-type]
        Field(
            default_factory=FraudSettingsChanges,
            description="What to change of the settings now in force.",
            examples=[{"fraud_sensitivity_level": "high"}],
        ),
    ]
    rule: Annotated[
        TriedRuleBody | None,
        Field(description="A rule to try; then `before` is what the settings now in force do without it."),
    ] = None
    days: Annotated[int, Field(ge=1, le=365, description="How many past days of checks to use.", examples=[30])] = 30


class ExplainQuery(Query):
    """The buyer in question: an address, an e-mail or both."""

    ip: Annotated[IpAddress | None, Field(description="The address an order would come from.")] = None
    email: Annotated[Email | None, Field(description="The buyer's e-mail.")] = None


async def report_signals(call: Call[None, None]) -> Reply:
    async with call.deps.db.read(slow=True) as tx:
        counts = await fraud_truth.signal_counts(tx, call.deps.clock.now())
    return Reply(fraud_reports_views.signal_report(counts))


async def backtest_settings(call: Call[BacktestBody, None]) -> Reply:
    body: Any = call.body
    if not {"settings", "rule"} & body.model_fields_set:
        raise invalid("settings", "The settings field or the rule field is required.")
    settings = changes(body.settings.sent())
    comparison = await fraud_reports_service.backtest(
        call.deps, settings, body.days, rule=body.rule.model_dump() if body.rule else None
    )
    is_complete = comparison.checks < fraud_reports_service.MAX_CHECKS
    return Reply(fraud_reports_views.backtest(comparison, is_complete=is_complete, has_rule=body.rule is not None))


async def explain_buyer(call: Call[None, ExplainQuery]) -> Reply:
    ip_address, email = call.query.ip, call.query.email
    if ip_address is None and email is None:
        sentence = "The ip field or the email field is required."
        raise InvalidFields({"ip": [sentence], "email": [sentence]})
    explanation = await fraud_reports_service.explain(call.deps, ip_address, email)
    return Reply(
        fraud_reports_views.explanation(
            explanation.verdict,
            explanation.ends,
            is_known_customer=explanation.is_known_customer,
            is_whitelisted=explanation.is_whitelisted,
        )
    )


ROUTES = (
    Route(
        "GET",
        "/fraud/signals",
        report_signals,
        "fraud:read",
        "Read the accuracy of each signal",
        many(fraud_reports_views.SignalReportView),
        description="How often it counted, and what those orders turned out to be: by reviews at once, by refunds, "
        "disputes and silence once an order is 90 days old.",
        is_extension=True,
    ),
    Route(
        "POST",
        "/fraud/backtest",
        backtest_settings,
        "fraud:write",
        "Backtest settings or a rule on past orders",
        single(fraud_reports_views.BacktestView),
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
        single(fraud_reports_views.ExplanationView),
        query=ExplainQuery,
        description="As if an order came from this address and e-mail at this moment; nothing is recorded.",
        is_extension=True,
    ),
)
