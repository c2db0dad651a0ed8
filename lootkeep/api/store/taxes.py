"""The tax of an order in a request body, as the checkout reports it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.fields import Country, field
from lootkeep.api.http.validation import Body
from lootkeep.api.store.products import Price

# At most 100 per cent, with up to four decimals.
TaxRate = Annotated[str, Field(pattern=r"^(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)$")]


class TaxFields(Body):
    """Part of the total, and never computed."""

    tax_total: Annotated[Price | None, field("Extension: the tax in the total; it is never computed.", "3.19")] = None
    tax_rate: Annotated[TaxRate | None, field("Extension: in per cent.", "19")] = None
    tax_country: Annotated[Country | None, field("Extension: where the tax is due, ISO 3166-1 alpha-2.", "DE")] = None
