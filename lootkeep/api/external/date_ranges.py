"""Two days of a query as a date range."""

from __future__ import annotations

from lootkeep.domain import analytics as analytics_rules
from lootkeep.domain.analytics import DateRange
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import invalid


def date_range_of(from_: Instant | None, to: Instant | None, timezone: str) -> DateRange:
    """Two days, one of which must be there."""
    if from_ is None or to is None:
        name, other = ("from", "to") if from_ is None else ("to", "from")
        raise invalid(name, f"The {name} field is required when {other} is sent.")
    if from_ > to:
        raise invalid("from", "The from field must not be after to.")
    first, last = utc(from_).date(), utc(to).date()
    if not analytics_rules.is_countable(first, last):
        years = f"{analytics_rules.FIRST_YEAR} and {analytics_rules.LAST_YEAR}"
        raise invalid("from", f"The from field and to must be between {years}.")
    return DateRange(first, last, timezone)
