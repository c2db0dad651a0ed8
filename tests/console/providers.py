"""OpenID Connect providers for tests: a real one in Node, and one of our own that lies on request."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.console.visits import Visitor
from tests.generators import packages
from tests.receiver import Receiver

CALLBACK = "http://store.test/console/sign-in/openid/callback"
SECRET = "a client secret: with % signs"
SETTINGS: dict[str, Any] = {
    "oidc_client_id": "lootkeep",
    "oidc_client_secret": SECRET,
    "oidc_roles": "admins=owner; support=Support; helpers=read-only",
    "oidc_allowed_networks": "127.0.0.0/8",
    "public_url": "http://store.test",
}


@contextmanager
def real_provider(folder: Path) -> Iterator[str]:
    """The issuer of a provider that runs as long as the block."""
    script = folder / "provider.mjs"
    script.write_text((Path(__file__).parent / "openid_provider.mjs").read_text())
    (folder / "node_modules").symlink_to(packages.node_modules())
    command = ("node", "--no-warnings", script, CALLBACK)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            # What it says about development settings comes first or not at all.
            yield next(line.strip() for line in process.stdout if line.startswith("http"))
        finally:
            process.kill()


async def at_the_provider(url: str, login: str) -> str:
    """Signs in and agrees there, as someone in a browser does; the address that the provider leads back to."""
    async with httpx.AsyncClient() as http:
        answer = await http.get(url)
        while not answer.headers.get("location", "").startswith(CALLBACK):
            if answer.is_redirect:
                answer = await http.get(str(answer.url.join(answer.headers["location"])))
                continue
            assert answer.status_code == 200, answer.text
            prompt = re.findall(r'name="prompt" value="(\w+)"', answer.text)[0]
            action = re.findall(r'<form[^>]* action="([^"]+)"', answer.text)[0]
            form = {"prompt": prompt, "login": login, "password": "any"}
            answer = await http.post(str(answer.url.join(action)), data=form)
    return str(answer.headers["location"]).removeprefix("http://store.test/console")


async def leave(visits: Visitor, target: str = "") -> str:
    """The address at the provider that the sign-in leads to."""
    answer = await visits.get("/sign-in/openid", params={"next": target} if target else None)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


class LyingProvider:
    """Issues any ID token that a test wants, for any code."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._key = RSAKey.generate_key(2048, {"kid": "1"})
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "1"}
        self.key: Any = self._key
        self.document: dict[str, Any] = {}
        receiver.behaviour = self._answer

    @property
    def issuer(self) -> str:
        return self._receiver.url.removesuffix("/hook")

    def token(self) -> str:
        if self.header["alg"] == "none":
            parts = (urlsafe_b64encode(json.dumps(part).encode()) for part in (self.header, self.claims))
            return ".".join(part.decode().rstrip("=") for part in parts) + "."
        return jwt.encode(self.header, self.claims, self.key, algorithms=["RS256", "HS256"])

    def begin(self, url: str, now: int, **claims: Any) -> str:
        """The path that the browser comes back to, with a token of what is usual and these claims."""
        query = parse_qs(urlsplit(url).query)
        self.claims = {
            "iss": self.issuer,
            "aud": "lootkeep",
            "sub": "1",
            "nonce": query["nonce"][0],
            "iat": now,
            "exp": now + 300,
            "email": "ada@store.example",
            "groups": ["admins"],
        } | claims
        return f"/sign-in/openid/callback?code=any&state={query['state'][0]}"

    async def _answer(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = self._receiver.received[-1].path
        usual = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token")}
        answers: dict[str, Any] = {
            "/.well-known/openid-configuration": {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"}
            | usual
            | self.document,
            "/keys": {"keys": [self._key.as_dict(private=False)]},
            "/token": lambda: {"id_token": self.token()},
        }
        content = answers[path]
        body = json.dumps(content() if callable(content) else content).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
