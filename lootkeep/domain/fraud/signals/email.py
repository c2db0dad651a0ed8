"""What the e-mail address says about itself."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy


def disposable_email(facts: OrderFacts, policy: Policy) -> bool:
    """The domain hands out mailboxes that last for minutes."""
    return facts.mail.is_disposable


def relay_email(facts: OrderFacts, policy: Policy) -> bool:
    """The address only forwards to another one, as those of Apple or Firefox do. Most who have one are honest."""
    return facts.mail.is_relay


def tagged_email(facts: OrderFacts, policy: Policy) -> bool:
    """The address carries a tag (`anna+shop@`), by which one mailbox can register many times."""
    return facts.mail.has_tag
