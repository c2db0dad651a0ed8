"""An OpenID Connect provider: its discovery document, where people sign in, and who it says they are."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast
from urllib.parse import quote_plus, urlencode

import msgspec
import structlog

from lootkeep.engines.http1 import Response
from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import SECOND, Instant

log = structlog.get_logger(__name__)

# Signed with the private key of the provider. Never `none`, and no secret that both sides have.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
# The clocks of two machines are not exact.
_LEEWAY_SECONDS = 60
_DISCOVERY = "/.well-known/openid-configuration"


class ProviderError(Exception):
    """Why nobody is signed in, as a sentence."""


_DOWN = "The provider cannot be reached. Try again in a moment."
_UNPROVEN = "The provider’s answer could not be verified. Start again."


@dataclass(frozen=True)
class Attempt:
    """What makes one sign-in different from every other: all of it is random and used once."""

    state: str
    nonce: str
    verifier: str


class OpenIdProvider:
    """Reached through the guarded client only; nothing is cached, so that changed keys and addresses work at once."""

    def __init__(
        self,
        issuer: str,
        client_id: str,
        client_secret: str,
        outbound: Outbound,
        *,
        scopes: str = "openid email profile",
        group_claim: str = "groups",
        roles: Mapping[str, str] = {},
    ) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._outbound = outbound
        self._scopes = scopes
        self.group_claim = group_claim
        # By group the name of a role, the most important first.
        self.roles = roles

    async def close(self) -> None:
        await self._outbound.close()

    async def sign_in_url(self, attempt: Attempt, redirect_url: str) -> str:
        """Where the browser goes to sign in: authorization code with PKCE."""
        endpoint = _text(await self._discover(), "authorization_endpoint")
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_url,
            "scope": self._scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": _challenge(attempt.verifier),
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def claims(
        self, attempt: Attempt, query: Mapping[str, str], redirect_url: str, now: Instant
    ) -> dict[str, Any]:
        """What the provider says of who signed in there; `query` is what the browser brought back."""
        document = await self._discover()
        if query.get("iss", document["issuer"]) != document["issuer"]:
            raise ProviderError(_UNPROVEN)
        tokens = await self._exchange(document, query.get("code", ""), attempt.verifier, redirect_url)
        keys = _object(await self._outbound.get(_text(document, "jwks_uri")))
        claims = self._verified(_text(tokens, "id_token"), keys, document["issuer"], attempt.nonce, now)
        if "userinfo_endpoint" in document and isinstance(tokens.get("access_token"), str):
            bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
            more = _object(await self._outbound.get(_text(document, "userinfo_endpoint"), bearer))
            if more.get("sub") != claims["sub"]:
                raise ProviderError(_UNPROVEN)
            claims = more | claims
        return claims

    async def _discover(self) -> dict[str, Any]:
        document = _object(await self._outbound.get(self._issuer + _DISCOVERY))
        issuer = document.get("issuer")
        is_plain = self._issuer.startswith("http://")
        names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        endpoints = [_text(document, name) for name in names]
        if not isinstance(issuer, str) or issuer.rstrip("/") != self._issuer:
            raise ProviderError(_UNPROVEN)
        if not is_plain and not all(endpoint.startswith("https://") for endpoint in endpoints):
            raise ProviderError(_UNPROVEN)
        return document

    async def _exchange(self, document: dict[str, Any], code: str, verifier: str, redirect_url: str) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_url,
            "client_id": self._client_id,
            "code_verifier": verifier,
        }
        headers: dict[str, str] = {}
        if "client_secret_basic" in document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"]):
            pair = f"{quote_plus(self._client_id)}:{quote_plus(self._client_secret)}"
            headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        else:
            form["client_secret"] = self._client_secret
        return _object(await self._outbound.post_form(_text(document, "token_endpoint"), form, headers))

    def _verified(self, id_token: str, keys: dict[str, Any], issuer: str, nonce: str, now: Instant) -> dict[str, Any]:
        # Loaded with the first sign-in: few stores have a provider.
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        try:
            token = jwt.decode(id_token, KeySet.import_key_set(cast("Any", keys)), algorithms=list(ALGORITHMS))
            is_for_others = token.claims.get("aud") not in (self._client_id, [self._client_id])
            jwt.JWTClaimsRegistry(
                now // SECOND,
                _LEEWAY_SECONDS,
                iss={"essential": True, "value": issuer},
                sub={"essential": True},
                aud={"essential": True, "value": self._client_id},
                exp={"essential": True},
                iat={"essential": True},
                nonce={"essential": True, "value": nonce},
                # The one that asked for the token, if others may use it too.
                azp={"essential": is_for_others, "value": self._client_id},
            ).validate(token.claims)
        except (JoseError, ValueError, KeyError, TypeError) as error:
            # The kind of the error, never the token.
            log.warning("an ID token was refused", reason=type(error).__name__, claim=getattr(error, "claim", None))
            raise ProviderError(_UNPROVEN) from None
        return dict(token.claims)


def _challenge(verifier: str) -> str:
    """Of PKCE (RFC 7636): only who has the verifier can exchange the code."""
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")


def _object(answer: Response | str) -> dict[str, Any]:
    """The JSON object of a response."""
    if isinstance(answer, str):
        log.warning("the OpenID provider cannot be reached", reason=answer)
        raise ProviderError(_DOWN)
    try:
        content = msgspec.json.decode(answer.beginning)
    except msgspec.DecodeError:
        content = None
    if answer.code != 200 or not isinstance(content, dict):
        log.warning("the OpenID provider refuses", status=answer.code)
        raise ProviderError(_DOWN if answer.code >= 500 else _UNPROVEN)
    return content


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise ProviderError(_UNPROVEN)
    return value
