"""The store's own rules and lists in public."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.fraud.comparison import Tally
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.lists import FraudList, ListEntry
from lootkeep.domain.fraud.rule import Rule, RuleAction, RuleMode
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of

Share = Annotated[float | None, field("From 0 to 1; null if no outcome is known.", 0.92)]
Ends = Annotated[Moment | None, field("When it expires; null means never.", None)]


class TallyView(msgspec.Struct, frozen=True):
    fired: Annotated[int, field("Orders that it matched.", 41)]
    right: Annotated[int, field("Of these, known to be fraud.", 12)]
    wrong: Annotated[int, field("Of these, known to be legitimate.", 1)]
    precision: Share


class FraudRuleView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the rule.", 3)]
    name: Annotated[str, field("The name of the rule.", "Fresh account, free mail")]
    expression: Annotated[str, field("The condition that orders must match.", "total > 100 and account_age < 1h")]
    action: Annotated[RuleAction, field("The action for matching orders.", "verify")]
    points: Annotated[int, field("With the action `points`, the points added to the score; otherwise 0.", 0)]
    mode: Annotated[RuleMode, field("In `shadow` mode, matches are only counted.", "shadow")]
    note: Annotated[str | None, field("Why it exists.", "Wave of March.")]
    expires_at: Ends
    hits: Annotated[TallyView, field("Matches since the expression last changed.", {})]
    updated_by: Annotated[int, field("The user who changed it last.", 1)]
    created_at: Time
    updated_at: Time


class FraudListView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the list.", 2)]
    name: Annotated[str, field("The name that rules use after an @.", "free_mail")]
    kind: Annotated[ListKind, field("The kind of its entries.", "domain")]
    note: Annotated[str | None, field("What it is for.", None)]
    entries_count: Annotated[int, field("How many entries it has.", 120)]
    created_at: Time


class ListEntryView(msgspec.Struct, frozen=True):
    value: Annotated[str, field("The entry in its stored form; an instrument is a hash.", "example.com")]
    reason: Annotated[str | None, field("Why it exists.", "Review of ORD-000123")]
    added_by: Annotated[int, field("The user who added it.", 1)]
    expires_at: Ends
    created_at: Time


_RULE = view_of(FraudRuleView, Rule, "hits")
_LIST = view_of(FraudListView, FraudList, "entries_count")
entry = view_of(ListEntryView, ListEntry)


def rule(stored: Rule, hits: Tally | None = None) -> FraudRuleView:
    return _RULE(stored, hits=tally(hits or Tally()))


def tally(counts: Tally) -> TallyView:
    precision = counts.precision
    return TallyView(counts.fired, counts.right, counts.wrong, None if precision is None else round(precision, 4))


def fraud_list(stored: FraudList, entries_count: int) -> FraudListView:
    return _LIST(stored, entries_count=entries_count)
