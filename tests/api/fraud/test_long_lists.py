"""A whitelist of ten thousand entries: checked entry by entry, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import time

import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from lootkeep.api.http.fields import EmailAddress
from tests.conftest import only_sqlite
from tests.world import World

ENTRIES = 10_000
# Enough to hold up the loop for long, if it were checked there.
UNUSUAL_ENTRIES = 2_500
# Not accepted by the fast check.
UNUSUAL = "o'{}@mail{}.example"

_EMAIL = TypeAdapter[str](EmailAddress)
_PARTS = st.text("ab1_.+-", min_size=1, max_size=6)
_DOMAINS = st.text("ab1.-", min_size=1, max_size=8)
_ENDINGS = st.sampled_from([".example", ".test", ".local", ".Com", ".c", ".1", "", ".xn--a", ".arpa"])


@only_sqlite
async def test_the_event_loop_is_not_blocked_while_a_long_list_is_checked(world: World) -> None:
    entries = [UNUSUAL.format(number, number) for number in range(UNUSUAL_ENTRIES)]
    # The time of this thread, so that it does not count what else the machine does.
    began, last, longest = time.process_time(), time.thread_time(), 0.0
    putting = asyncio.create_task(world.put("/fraud/settings", {"fraud_whitelisted_emails": entries}))
    while not putting.done():
        await asyncio.sleep(0)
        longest, last = max(longest, time.thread_time() - last), time.thread_time()
    assert (await putting).json()["data"] == {"fraud_whitelisted_emails_count": UNUSUAL_ENTRIES}
    # Held by the check, it would not have gone on for nearly all of the work.
    assert longest < (time.process_time() - began) / 2


@only_sqlite
async def test_every_bad_entry_of_a_long_list_is_named(world: World) -> None:
    entries = [f"p{number}@mail{number}.example" for number in range(ENTRIES)]
    answer = await world.put("/fraud/settings", {"fraud_whitelisted_emails": [*entries[:-2], "nobody", "a@b.test"]})
    assert answer.status_code == 422
    names = [f"fraud_whitelisted_emails.{number}" for number in (ENTRIES - 2, ENTRIES - 1)]
    assert list(answer.json()["errors"]) == names


@given(_PARTS, _DOMAINS, _ENDINGS)
def test_the_fast_check_accepts_exactly_what_the_library_accepts(name: str, domain: str, ending: str) -> None:
    email = f"{name}@{domain}{ending}"
    try:
        expected = validate_email(email, check_deliverability=False).normalized.lower()
    except EmailNotValidError:
        with pytest.raises(ValidationError):
            _EMAIL.validate_python(email)
    else:
        assert _EMAIL.validate_python(email) == expected
