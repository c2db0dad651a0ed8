"""What an e-mail address shows: whether it only forwards, and whether it has a tag."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import EmailFacts
from lootkeep.domain.identity import domain_of

# Services that create addresses which forward to a real mailbox. A person may have hundreds of them, and most of these
# people are careful rather than criminal.
_RELAYS = frozenset(
    {
        # Apple, Mozilla, DuckDuckGo
        "privaterelay.appleid.com",
        "mozmail.com",
        "relay.firefox.com",
        "duck.com",
        # SimpleLogin and Proton Pass
        "simplelogin.com",
        "simplelogin.co",
        "simplelogin.fr",
        "aleeas.com",
        "slmail.me",
        "slmails.com",
        "silomails.com",
        "8alias.com",
        "8shield.net",
        "dralias.com",
        "passmail.net",
        "passmail.com",
        "passinbox.com",
        "passfwd.com",
        # addy.io
        "addy.io",
        "addymail.com",
        "anonaddy.com",
        "anonaddy.me",
        "4wrd.cc",
        "mailer.me",
        # others
        "33mail.com",
        "opayq.com",
    }
)


# If no e-mail was sent.
NONE = EmailFacts()


def describe(email: str, *, is_disposable: bool) -> EmailFacts:
    """The facts about an e-mail address; a list says whether its domain is disposable."""
    return EmailFacts(is_disposable=is_disposable, is_relay=relay(email), has_tag=tagged(email))


def relay(email: str) -> bool:
    """Some services give each user a subdomain, so the parent domains are checked too."""
    domain = domain_of(email)
    while domain:
        if domain in _RELAYS:
            return True
        domain = domain.partition(".")[2]
    return False


def tagged(email: str) -> bool:
    """`anna+shop@`: one mailbox that can look like many."""
    return email.rpartition("@")[0].find("+") > 0
