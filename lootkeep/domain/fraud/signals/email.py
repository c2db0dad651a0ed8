"""What the e-mail address says about itself."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy


def disposable_email(facts: OrderFacts, policy: Policy) -> bool:
    """The domain offers mailboxes that last for minutes."""
    return facts.mail.is_disposable


def relay_email(facts: OrderFacts, policy: Policy) -> bool:
    """The e-mail address forwards to another one, as Apple's and Firefox's do. Most people who use one are honest."""
    return facts.mail.is_relay


def tagged_email(facts: OrderFacts, policy: Policy) -> bool:
    """The e-mail address has a tag (`anna+shop@`), which lets one mailbox register many times."""
    return facts.mail.has_tag
