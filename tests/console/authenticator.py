"""An authenticator in software, for answers that no honest one gives."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field

import cbor2
import httpx
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from msgspec.structs import replace

from lootkeep.storage.access import accounts as accounts_db
from tests.console.visits import EMAIL, PASSWORD, Visitor, token, visitor
from tests.world import World

# The only host over http at which browsers have passkeys.
SITE = "http://localhost:8000"
_PRESENT, _VERIFIED, _HAS_KEY = 1, 4, 64


@dataclass
class Authenticator:
    """One passkey; `count` is what it says at its next use."""

    count: int = 1
    flags: int = _PRESENT | _VERIFIED
    origin: str = SITE
    host: str = "localhost"
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    def __post_init__(self) -> None:
        self.key = generate_private_key(SECP256R1())

    def creates(self, challenge: str) -> str:
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        credential = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor2.dumps(public)
        data = self._data(_HAS_KEY) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", challenge)
        return self._answer(clientDataJSON=client, attestationObject=attestation)

    def signs(self, challenge: str) -> str:
        data, client = self._data(), self._client("webauthn.get", challenge)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=client, authenticatorData=data, signature=signature)

    def _data(self, more: int = 0) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + bytes([self.flags | more]) + self.count.to_bytes(4)

    def _client(self, kind: str, challenge: str) -> bytes:
        content = {"type": kind, "challenge": _encoded(challenge.encode()), "origin": self.origin, "crossOrigin": False}
        return json.dumps(content).encode()

    def _answer(self, **response: bytes) -> str:
        named = {name: _encoded(content) for name, content in response.items()}
        own = _encoded(self.id)
        return json.dumps({"id": own, "rawId": own, "type": "public-key", "response": named})


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


async def adds(visits: Visitor, passkey: Authenticator, name: str = "Laptop", **fields: str) -> httpx.Response:
    challenge = token(await visits.get("/account"))
    form = {"token": challenge, "name": name, "passkey_password": PASSWORD, "credential": passkey.creates(challenge)}
    return await visits.http.post("/console/account/passkeys", data=form | fields)


async def uses(
    visits: Visitor, passkey: Authenticator, page: httpx.Response | None = None, **fields: str
) -> httpx.Response:
    """Answers the challenge of the sign-in page, or of the one that asked for a passkey after the password."""
    page = page or await visits.get("/sign-in")
    challenge = token(page)
    proof = re.findall(r'name="proof" value="([^"]*)"', page.text)[0]
    form = {"token": challenge, "credential": passkey.signs(challenge), "proof": proof}
    return await visits.http.post("/console/sign-in/passkey", data=form | fields)


async def refused(visits: Visitor, answer: httpx.Response) -> None:
    assert (answer.status_code, "could not be verified" in answer.text) == (422, True), answer.text
    assert (await visits.get("/account")).status_code == 303


async def after_password(shop: World, ip: str = "127.0.0.1") -> tuple[Visitor, httpx.Response]:
    """The page that asks for the passkey, in a browser that nobody knows."""
    visits = await visitor(shop, None, ip)
    page = await visits.post("/sign-in", on="/sign-in", email=EMAIL, password=PASSWORD)
    assert (page.status_code, "The password is right." in page.text) == (422, True), page.text
    return visits, page


async def same_password(shop: World) -> None:
    """The second user can sign in, too."""
    async with shop.db.write() as tx:
        first, second = [await accounts_db.ROWS.lock(tx, user_id) for user_id in (1, 2)]
        assert first
        assert second
        await accounts_db.ROWS.save(tx, second, replace(second, password_hash=first.password_hash))
