"""Codes of gift cards: made from randomness, kept sealed, found by a keyed hash."""

from __future__ import annotations

from collections.abc import Callable

from lootkeep.domain.gift_cards import SealedCode, grouped, plain
from lootkeep.engines.vault import Vault
from lootkeep.kernel.ids import Ids

_PURPOSE = "gift card code"
_SHOWN = 4


def new(ids: Ids) -> str:
    """`XXXX-XXXX-XXXX-XXXX` without 0 O 1 I: 80 random bits."""
    return grouped(ids.code() + ids.code())


def mint(vault: Vault, ids: Ids) -> Callable[[], SealedCode]:
    """What makes new codes for those who need not know them."""
    return lambda: sealed(vault, new(ids))


def sealed(vault: Vault, code: str) -> SealedCode:
    return SealedCode(hashed(vault, code), vault.seal(code, _PURPOSE), plain(code)[-_SHOWN:])


def hashed(vault: Vault, code: str) -> str:
    """What a code is looked up by, however it was typed."""
    return vault.fingerprint(plain(code).encode(), _PURPOSE)


def opened(vault: Vault, sealed_code: str) -> str:
    return vault.open(sealed_code, _PURPOSE)
