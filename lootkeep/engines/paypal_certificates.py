"""The certificates that PayPal signs its events with: fetched from its own hosts, verified, and cached."""

from __future__ import annotations

import re
import ssl
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import structlog

from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import SECOND, Instant, instant
from lootkeep.kernel.errors import Unavailable

# Loaded with the first certificate: it takes time and memory at every start, and most stores never see one.
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.x509 import Certificate

log = structlog.get_logger(__name__)

_LIVE, _SANDBOX = "messageverificationcerts.paypal.com", "messageverificationcerts.sandbox.paypal.com"
# Where certificates are fetched from, and the name that they must be for.
HOSTS: Mapping[str, str] = {
    "api.paypal.com": _LIVE,
    "api-m.paypal.com": _LIVE,
    "api.sandbox.paypal.com": _SANDBOX,
    "api-m.sandbox.paypal.com": _SANDBOX,
}
_PATH = re.compile(r"/v1/notifications/certs/[A-Za-z0-9_-]{1,100}")
# PayPal uses a few at a time.
_MAX_CACHED = 16


def system_roots(paths: ssl.DefaultVerifyPaths | None = None) -> Sequence[Certificate]:
    """Those of the system: one file, or a folder, as in Debian's images."""
    from cryptography.utils import CryptographyDeprecationWarning
    from cryptography.x509 import load_pem_x509_certificates

    paths = paths or ssl.get_default_verify_paths()
    folder = sorted(Path(paths.capath).glob("*.pem")) if paths.capath else []
    files = [Path(paths.cafile)] if paths.cafile else folder
    with warnings.catch_warnings():
        # Some old roots have serial numbers that new rules do not allow.
        warnings.simplefilter("ignore", CryptographyDeprecationWarning)
        return [root for file in files for root in load_pem_x509_certificates(file.read_bytes())]


class _Key(NamedTuple):
    public_key: RSAPublicKey
    ends_at: Instant


class PayPalCertificates:
    """Tests have hosts and roots of their own."""

    def __init__(
        self, hosts: Mapping[str, str] = HOSTS, roots: Callable[[], Sequence[Certificate]] = system_roots
    ) -> None:
        self._hosts = hosts
        self._roots = roots
        self._keys: dict[str, _Key] = {}

    async def has_signed(self, outbound: Outbound, url: str, text: bytes, signature: bytes, now: Instant) -> bool:
        """Whether the text was signed with the certificate at the URL; `Unavailable` if that cannot be fetched."""
        name = self._name(url)
        if name is None:
            return False
        key = self._keys.get(url)
        if key is None or now >= key.ends_at:
            key = self._verified(await _fetched(outbound, url), name, now)
            if key is None:
                return False
            self._keys[url] = key
            if len(self._keys) > _MAX_CACHED:
                del self._keys[next(iter(self._keys))]
        return _is_signature(key.public_key, signature, text)

    def is_sandbox(self, url: str) -> bool:
        return self._name(url) == _SANDBOX

    def _name(self, url: str) -> str | None:
        """None unless it is a certificate on one of PayPal's hosts, written in the ordinary way."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        is_plain = url == f"https://{parts.netloc}{parts.path}" and _PATH.fullmatch(parts.path) is not None
        return self._hosts.get(parts.netloc) if is_plain else None

    def _verified(self, pem: bytes, name: str, now: Instant) -> _Key | None:
        """The key of the first certificate, if the others lead from a trusted root to it."""
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
        from cryptography.x509 import DNSName, load_pem_x509_certificates
        from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

        try:
            leaf, *others = load_pem_x509_certificates(pem)
            at = datetime.fromtimestamp(now / SECOND, UTC)
            policy = PolicyBuilder().store(Store(list(self._roots()))).time(at)
            policy.build_server_verifier(DNSName(name)).verify(leaf, others)
        except (ValueError, VerificationError) as error:
            log.warning("a certificate of PayPal is not valid", reason=str(error))
            return None
        key = leaf.public_key()
        return _Key(key, instant(leaf.not_valid_after_utc)) if isinstance(key, RSAPublicKey) else None


def _is_signature(key: RSAPublicKey, signature: bytes, text: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        key.verify(signature, text, PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True


async def _fetched(outbound: Outbound, url: str) -> bytes:
    answer = await outbound.get(url)
    if isinstance(answer, str) or answer.code >= 500:
        raise Unavailable("The certificate of PayPal cannot be fetched right now. Please send the event again.")
    return answer.beginning if answer.code == 200 else b""
