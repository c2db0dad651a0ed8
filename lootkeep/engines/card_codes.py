"""Gift card codes: random, stored sealed, found by a keyed hash."""

from __future__ import annotations

from lootkeep.domain.gift_card_codes import SealedCode, grouped, plain
from lootkeep.engines.vault import Vault
from lootkeep.kernel.ids import Ids

CODE_PURPOSE = "gift card code"
_SHOWN = 4


class CardCodes:
    """All operations on codes, with the application key."""

    def __init__(self, vault: Vault, ids: Ids) -> None:
        self._ids = ids
        self._vault = vault
        self.seal = vault.seal

    def new(self) -> str:
        """`XXXX-XXXX-XXXX-XXXX` without 0 O 1 I: 80 random bits."""
        return grouped(self._ids.code() + self._ids.code())

    def mint(self) -> SealedCode:
        """A new code that the caller need not know."""
        return self.sealed(self.new())

    def sealed(self, code: str) -> SealedCode:
        return SealedCode(self.hashed(code), self._vault.seal(code, CODE_PURPOSE), plain(code)[-_SHOWN:])

    def hashed(self, code: str) -> str:
        """The hash by which a code is looked up, however it was typed."""
        return self._vault.fingerprint(plain(code).encode(), CODE_PURPOSE)

    def opened(self, sealed_code: str) -> str:
        return self._vault.open(sealed_code, CODE_PURPOSE)
