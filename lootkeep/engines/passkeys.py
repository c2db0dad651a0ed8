"""WebAuthn: what a browser is asked for, and whether its answer proves that the person has the passkey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from lootkeep.domain.passkeys import CHALLENGE_LIFETIME, Passkey, RelyingParty
from lootkeep.kernel.clock import SECOND

# ES256, EdDSA and RS256: what every authenticator has one of.
_ALGORITHMS = (-7, -8, -257)


class NotProven(Exception):
    """The answer of the browser is not one to our question."""


class _Answer(msgspec.Struct):
    # In base64url; authenticators have ids of up to 1,023 bytes.
    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,1364}$")]


def creation_options(
    site: RelyingParty, store: str, user: tuple[int, str, str], existing: Sequence[Passkey]
) -> dict[str, Any]:
    """For `navigator.credentials.create`, without the challenge; the user is an id, an address and a name."""
    user_id, email, name = user
    return {
        "rp": {"id": site.id, "name": store},
        # In base64url, as all bytes here.
        "user": {"id": _encoded(str(user_id).encode()), "name": email, "displayName": name},
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in _ALGORITHMS],
        "excludeCredentials": _listed(existing),
        "authenticatorSelection": {"residentKey": "preferred", "userVerification": "preferred"},
        "timeout": CHALLENGE_LIFETIME // SECOND * 1000,
    }


def request_options(site: RelyingParty, of: Sequence[Passkey]) -> dict[str, Any]:
    """For `navigator.credentials.get`: any passkey of the site if none is named."""
    verification = "discouraged" if of else "required"
    options = {"rpId": site.id, "userVerification": verification, "allowCredentials": _listed(of)}
    return options | {"timeout": CHALLENGE_LIFETIME // SECOND * 1000}


def credential_of(answer: str) -> str:
    """The id that an answer names, which proves nothing."""
    try:
        return msgspec.json.decode(answer, type=_Answer).id
    except msgspec.DecodeError:
        raise NotProven from None


def verify_creation(answer: str, challenge: str, site: RelyingParty) -> tuple[str, str, int]:
    """The id and the public key of a new passkey, and its first count."""
    from webauthn import verify_registration_response
    from webauthn.helpers.cose import COSEAlgorithmIdentifier
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        verified = verify_registration_response(
            credential=answer,
            expected_challenge=challenge.encode(),
            expected_rp_id=site.id,
            expected_origin=site.origin,
            supported_pub_key_algs=[COSEAlgorithmIdentifier(algorithm) for algorithm in _ALGORITHMS],
        )
    except (WebAuthnException, ValueError, TypeError, KeyError, IndexError) as error:
        raise NotProven from error
    return _encoded(verified.credential_id), _encoded(verified.credential_public_key), verified.sign_count


def verify_use(answer: str, challenge: str, site: RelyingParty, passkey: Passkey, *, alone: bool) -> int:
    """The next count of the passkey. Alone it has to ask for a fingerprint or a PIN, too."""
    from webauthn import base64url_to_bytes, verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        verified = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge.encode(),
            expected_rp_id=site.id,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=alone,
        )
    except (WebAuthnException, ValueError, TypeError, KeyError, IndexError) as error:
        raise NotProven from error
    return verified.new_sign_count


def _listed(passkeys: Sequence[Passkey]) -> list[dict[str, str]]:
    return [{"type": "public-key", "id": passkey.credential_id} for passkey in passkeys]


def _encoded(content: bytes) -> str:
    from webauthn.helpers import bytes_to_base64url

    return bytes_to_base64url(content)
