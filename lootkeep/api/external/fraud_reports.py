"""Beyond the specification: the precision of signals, backtests of settings, and an explanation of a buyer."""

from __future__ import annotations

from typing import Annotated, Any

from lootkeep.api.external.fraud_rules import EXAMPLE, ExpressionText, Points
from lootkeep.api.external.fraud_settings import FraudSettingsChanges, changes
from lootkeep.api.http.fields import EmailAddress, IpAddressText, field
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, ExtensionRoute, Reply, many, single
from lootkeep.api.http.validation import Body, QueryParameters
from lootkeep.api.records.players import IdentityText
from lootkeep.domain.fraud.rule import RuleAction
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.services import fraud_reports as fraud_reports_service
from lootkeep.storage.fraud import truth as fraud_truth_db
from lootkeep.views import fraud_reports as fraud_reports_views


class TriedRuleBody(Body):
    """A rule to test as if its mode were `on`."""

    id: Annotated[int | None, field("The rule that it replaces; null for a new one.")] = None
    expression: Annotated[ExpressionText, field("The condition that orders must match.", EXAMPLE)]
    action: Annotated[RuleAction, field("The action for matching orders.", "verify")]
    points: Annotated[Points, field("With the action `points`: the points added to the score.")] = 0


class BacktestBody(Body):
    """Settings or a rule to test, and the number of days."""

    settings: Annotated[
        FraudSettingsChanges,  # type: ignore[valid-type]
        field(
            "Overrides of the current settings.",
            {"fraud_sensitivity_level": "high"},
            default_factory=FraudSettingsChanges,
        ),
    ]
    rule: Annotated[
        TriedRuleBody | None, field("A rule to test; `before` is then the result of the current settings without it.")
    ] = None
    days: Annotated[int, field("How many past days of checks to use.", 30, ge=1, le=365)] = 30


class ExplainQuery(QueryParameters):
    """The buyer in question: an address, an e-mail or both; and who would get it."""

    ip: Annotated[IpAddressText | None, field("The IP address of the order.")] = None
    email: Annotated[EmailAddress | None, field("The buyer's e-mail address.")] = None
    player: Annotated[IdentityText | None, field("Who would get it, such as `steam:76561198000000000`.")] = None


async def report_signals(call: Call[None, None]) -> Reply:
    async with call.deps.db.read(slow=True) as tx:
        counts = await fraud_truth_db.signal_counts(tx, call.deps.clock.now())
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
    explanation = await fraud_reports_service.explain(call.deps, ip_address, email, call.query.player)
    return Reply(fraud_reports_views.explanation(explanation))


ROUTES = (
    ExtensionRoute(
        "GET",
        "/fraud/signals",
        report_signals,
        "fraud:read",
        "Read the accuracy of each signal",
        many(fraud_reports_views.SignalReportView),
        description="How often each signal fired, and the outcomes of those orders: by reviews immediately, by "
        "refunds, disputes or the absence of both once an order is 90 days old.",
    ),
    ExtensionRoute(
        "POST",
        "/fraud/backtest",
        backtest_settings,
        "fraud:write",
        "Backtest settings or a rule on past orders",
        single(fraud_reports_views.BacktestView),
        max_body=MAX_LARGE_BODY,
        description="Judges stored checks again with the given settings and changes nothing. Order counts are those of "
        "the velocity window at the time of the check.",
        may_miss=True,
        is_foreign=True,
    ),
    ExtensionRoute(
        "GET",
        "/fraud/explain",
        explain_buyer,
        "fraud:read",
        "Explain what counts against a buyer now",
        single(fraud_reports_views.ExplanationView),
        description="What an order with this IP address and e-mail address would score now; nothing is recorded.",
    ),
)
