"""The demo's customers: who they are, where they connect from, and with which device."""

from __future__ import annotations

import uuid
from random import Random

import msgspec

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.players import Player
from lootkeep.domain.sign_up import SignUp
from lootkeep.toolbox.demo_store import places
from lootkeep.toolbox.demo_store.names import COUNTRIES, FAMILY, FAMILY_FIRST, FIRST

# Domains that can never exist: no e-mail from the demo reaches anyone.
_MAIL_DOMAINS = ("mail.example", "post.example", "gamers.example", "inbox.example", "castle.example")
_AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 15_6) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile Safari/537.36",
)
_WEIGHTS = tuple(country.weight for country in COUNTRIES)
_INDEXES = range(len(COUNTRIES))


class DemoCustomer(msgspec.Struct):
    """A buyer, as the demo knows them."""

    name: str
    email: str
    country: str
    ip_address: str
    device_id: str
    user_agent: str | None
    # The store's id, after the sign-up.
    id: int = 0
    code: str = ""
    coupon: Coupon | None = None
    # The referrer, as an index in the shop's list.
    referrer: int | None = None
    orders: int = 0


class People:
    """Creates people, each with their own mailbox and device."""

    def __init__(self, rng: Random, first_number: int = 1) -> None:
        self._rng = rng
        self._number = first_number

    def new(self) -> DemoCustomer:
        rng = self._rng
        index = rng.choices(_INDEXES, _WEIGHTS)[0]
        country = COUNTRIES[index]
        first, family = rng.choice(FIRST[country.tongue]), rng.choice(FAMILY[country.tongue])
        is_turned = country.tongue in FAMILY_FIRST
        name = f"{family.native} {first.native}" if is_turned else f"{first.native} {family.native}"
        mailbox = f"{first.latin}.{family.latin}{self._number}"
        self._number += 1
        return DemoCustomer(
            name=name,
            email=f"{mailbox}@{rng.choice(_MAIL_DOMAINS)}",
            country=country.code,
            ip_address=places.home(index, rng),
            device_id=f"dev-{rng.getrandbits(48):012x}",
            user_agent=rng.choice(_AGENTS),
        )


def players(person: DemoCustomer) -> list[Player]:
    """Who they are in games."""
    number = uuid.uuid5(uuid.NAMESPACE_URL, person.email)
    mailbox = person.email.partition("@")[0]
    # What is behind the first name.
    name = "".join(letter for letter in mailbox.partition(".")[2] if letter.isascii() and letter.isalnum())[:16]
    discord = str(10**17 + number.int % 10**17)
    return [Player("minecraft", str(number), name), Player("discord", discord, mailbox)]


def form(person: DemoCustomer, referral_code: str | None, *, accepts_marketing: bool) -> SignUp:
    return SignUp(
        email=person.email,
        name=person.name,
        username=person.email.partition("@")[0].replace(".", "_"),
        referral_code=referral_code,
        country=person.country,
        ip_address=person.ip_address,
        device_id=person.device_id,
        accepts_marketing=accepts_marketing,
    )
