"""Made-up people who referred each other: the same for a size, every time."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from lootkeep.kernel.clock import DAY, HOUR, Instant, instant

# In exactly this many names, whatever the size: what a search for it costs must not grow.
RARE = "zqx"
RARE_NAMES = 40

END = instant(datetime(2026, 10, 1, tzinfo=UTC))
SPAN = 3 * 365 * DAY
# One in this many who were brought by someone is that person again, and so is refused.
REFUSED_EVERY = 500
SUCCESSFUL = 0.4
# One referrer for this many referrals; the first of them bring most.
REFERRALS_PER_REFERRER = 20

_words = re.compile(r"\w+").findall
_FIRST = _words(
    "Anna Ben Chloé Dmitri Elif Fatima Gonzalo Hanna Igor Jun Katarzyna Liam Mei Noah Olga Pedro Quinn Rosa Søren "
    "Tariq Uma Viktor Wanda Ximena Yusuf Žofie Amara Bogdan Carla Dario Esther Finn Greta Hugo Ines Jamal Kira Leo Mila"
)
_LAST = _words(
    "Andersson Baker Costa Dubois Eriksen Fischer García Hughes Ivanov Jansen Kim Lopez Müller Nguyen Öberg Park Quist "
    "Rossi Schmidt Tanaka Ueda Vargas Weber Xu Yılmaz Zhang Almeida Brown Chen Duarte Evans Fontaine Green Haddad Ito"
)
_DOMAINS = [f"{kind}{number}.example" for kind in ("mail", "post", "inbox", "web") for number in range(12)]
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


@dataclass(frozen=True, slots=True)
class BenchPerson:
    """A customer, who brought them, and when they first paid."""

    id: int
    email: str
    name: str
    code: str
    created_at: Instant
    referrer: "BenchPerson | None" = None
    is_refused: bool = False
    paid_at: Instant | None = None


def people(referrals: int) -> Iterator[BenchPerson]:
    """Those who bring others first, then everyone they bring, in order of time."""
    chance = random.Random(referrals)
    roots = max(10, referrals // REFERRALS_PER_REFERRER)
    referrers = [_person(chance, number + 1, END - SPAN - 30 * DAY + number) for number in range(roots)]
    yield from referrers
    weights = [1 / (rank + 10) for rank in range(roots)]
    brought_by = chance.choices(referrers, weights, k=referrals)
    refused = referrals // REFUSED_EVERY
    step = SPAN // (referrals + refused)
    rare = {number * referrals // RARE_NAMES for number in range(RARE_NAMES)}
    count = 0
    for number in range(referrals + refused):
        customer_id, time = roots + number + 1, END - SPAN + number * step + chance.randrange(step)
        if number % (REFUSED_EVERY + 1) == REFUSED_EVERY:
            yield _same_again(chance, customer_id, time, chance.choice(referrers))
        else:
            yield _brought(chance, customer_id, time, brought_by[count], is_rare=count in rare)
            count += 1


def code(number: int) -> str:
    """A code of its own for each number: the factor is odd, so no two meet."""
    rest, text = (number * 2_654_435_761 + 987_654_321) % len(_LETTERS) ** 8, ""
    for _ in range(8):
        rest, digit = divmod(rest, len(_LETTERS))
        text += _LETTERS[digit]
    return text


def _person(chance: random.Random, customer_id: int, time: int) -> BenchPerson:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    email = f"{first[:1]}{last[1:]}.{customer_id}@{chance.choice(_DOMAINS)}".lower()
    plain = email.encode("ascii", "ignore").decode()
    return BenchPerson(customer_id, plain, f"{first} {last}", code(customer_id), Instant(time))


def _brought(
    chance: random.Random, customer_id: int, time: int, referrer: BenchPerson, *, is_rare: bool
) -> BenchPerson:
    plain = _person(chance, customer_id, time)
    name = f"{RARE.title()}{plain.name.lower()}" if is_rare else plain.name
    paid_at = time + HOUR + chance.randrange(30 * DAY) if chance.random() < SUCCESSFUL else None
    paid = None if paid_at is None else Instant(paid_at)
    return BenchPerson(customer_id, plain.email, name, plain.code, plain.created_at, referrer, paid_at=paid)


def _same_again(chance: random.Random, customer_id: int, time: int, referrer: BenchPerson) -> BenchPerson:
    name, _, domain = referrer.email.partition("@")
    return BenchPerson(
        customer_id,
        f"{name}+{customer_id}@{domain}",
        referrer.name,
        code(customer_id),
        Instant(time),
        referrer,
        is_refused=True,
    )
