"""Countries that count against an order: a table with its date and reasons, edited by hand.

Sources: the comprehensive country programmes of the United States Treasury's Office of Foreign Assets
Control, the European Union's restrictive measures, the sanctions committees of the United Nations Security Council,
and the lists of the Financial Action Task Force. Syria left the comprehensive programmes in 2025. Measures against
Russia and Belarus target persons, banks and goods, and those against Crimea, Donetsk and Luhansk target regions. No
country code expresses that, so they are the store owner's choice (`fraud_custom_blocked_countries`).
"""

from __future__ import annotations

# The date of the sources that the table follows. Change it together with a row.
AS_OF = "2026-02"

# Nearly all trade is forbidden.
_EMBARGOED = {
    "CU": "comprehensive embargo of the United States",
    "IR": "comprehensive embargo of the United States; sanctions of the United Nations; the FATF calls for action",
    "KP": "sanctions of the United Nations; the FATF calls for action",
}

# Short on purpose: these points are unfair to nearly everyone who lives there.
_RISKY = {
    "AF": "sanctions of the United Nations",
    "CD": "sanctions of the United Nations; under the FATF's increased monitoring",
    "CF": "sanctions of the United Nations",
    "HT": "sanctions of the United Nations; under the FATF's increased monitoring",
    "LY": "sanctions of the United Nations",
    "MM": "the FATF calls for action",
    "SD": "sanctions of the United Nations",
    "SO": "sanctions of the United Nations",
    "SS": "sanctions of the United Nations; under the FATF's increased monitoring",
    "SY": "until recently under a comprehensive embargo; under the FATF's increased monitoring",
    "YE": "sanctions of the United Nations; under the FATF's increased monitoring",
}

SANCTIONED = frozenset(_EMBARGOED)
HIGH_RISK = frozenset(_RISKY)
REASONS = _EMBARGOED | _RISKY
