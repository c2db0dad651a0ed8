"""The store's own fraud rules over HTTP, an extension."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import Time, field, not_blank
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.rule import MAX_NAME, POINTS, RuleAction, RuleMode
from lootkeep.services import fraud_rules as fraud_rules_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import truth as fraud_truth_db
from lootkeep.views import fraud_rules as fraud_rules_views

EXAMPLE = "total > 100 and account_age < 1h"

ExpressionText = Annotated[str, Field(min_length=1, max_length=MAX_LENGTH)]
Points = Annotated[int, Field(ge=POINTS[0], le=POINTS[1])]
FraudNote = Annotated[str, Field(max_length=1000)]


class FraudRuleBody(Body):
    """The fields of a rule."""

    name: Annotated[
        str,
        field("The name of the rule.", "Fresh and large", min_length=1, max_length=MAX_NAME),
        AfterValidator(not_blank),
    ]
    expression: Annotated[ExpressionText, field("The condition that orders must match.", EXAMPLE)]
    action: Annotated[RuleAction, field("The action for matching orders.", "verify")]
    points: Annotated[Points, field("With the action `points`: the points added to the score.")] = 0
    mode: Annotated[RuleMode, field("In `shadow` mode, matches are only counted.", "shadow")] = "shadow"
    note: Annotated[FraudNote | None, field("Why it exists.", "Wave of March.")] = None
    expires_at: Annotated[Time | None, field("When it expires.")] = None


FraudRuleChanges = partial(FraudRuleBody, "FraudRuleChanges")


async def list_fraud_rules(call: Call[None, None]) -> Reply:
    async with call.deps.db.read(slow=True) as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        tallies = await fraud_truth_db.rule_tallies(tx, call.deps.clock.now())
    return Reply([fraud_rules_views.rule(rule, tallies.get((rule.id, rule.revision))) for rule in policy.rules])


async def create_fraud_rule(call: Call[FraudRuleBody, None]) -> Reply:
    terms = {name: getattr(call.body, name) for name in FraudRuleBody.model_fields}
    return Reply(fraud_rules_views.rule(await fraud_rules_service.create(call.deps, terms, call.token.user_id)))


async def update_fraud_rule(call: Call[Body, None]) -> Reply:
    rule = await fraud_rules_service.change(call.deps, call.id, call.body.sent(), call.token.user_id)
    async with call.deps.db.read() as tx:
        tallies = await fraud_truth_db.rule_tallies(tx, call.deps.clock.now())
    return Reply(fraud_rules_views.rule(rule, tallies.get((rule.id, rule.revision))))


async def delete_fraud_rule(call: Call[None, None]) -> Reply:
    await fraud_rules_service.delete(call.deps, call.id)
    return Reply()


ROUTES = (
    ExtensionRoute(
        "GET",
        "/fraud/rules",
        list_fraud_rules,
        "fraud:read",
        "List the store's own rules",
        many(fraud_rules_views.FraudRuleView),
        description="Includes how many orders each rule matched, also in shadow mode, and how many of these were "
        "fraud.",
    ),
    ExtensionRoute(
        "POST",
        "/fraud/rules",
        create_fraud_rule,
        "fraud:write",
        "Create a rule",
        single(fraud_rules_views.FraudRuleView, "Fraud rule created successfully", status=201),
        description="Applies to the next order. `POST /fraud/backtest` shows what it would have done in the past.",
    ),
    ExtensionRoute(
        "PUT",
        "/fraud/rules/{id}",
        update_fraud_rule,
        "fraud:write",
        "Update a rule",
        single(fraud_rules_views.FraudRuleView, "Fraud rule updated successfully"),
        body=FraudRuleChanges,
        description="Changes only the fields that are sent. A new expression resets the hits.",
    ),
    ExtensionRoute(
        "DELETE",
        "/fraud/rules/{id}",
        delete_fraud_rule,
        "fraud:write",
        "Delete a rule",
        only_message("Fraud rule deleted successfully"),
        description="Existing checks do not change and can still be reproduced.",
    ),
)
