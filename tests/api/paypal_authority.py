"""A certificate authority as PayPal's is one: its certificates pass the rules of public ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class Signed(NamedTuple):
    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)


def authority(by: Signed | None = None) -> Signed:
    """A root; or one that another has signed, between the root and what it issues."""
    key = rsa.generate_private_key(65537, 2048)
    usage = x509.KeyUsage(
        key_cert_sign=True,
        crl_sign=True,
        **dict.fromkeys(("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"), False),
        **dict.fromkeys(("key_agreement", "encipher_only", "decipher_only"), False),
    )
    builder = _builder(_name(f"Authority {x509.random_serial_number()}"), by, key).add_extension(usage, critical=True)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return Signed(key, builder.sign(by.key if by else key, SHA256()))


def issue(by: Signed, name: str) -> Signed:
    key = rsa.generate_private_key(65537, 2048)
    builder = _builder(_name(name), by, key)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    return Signed(key, builder.sign(by.key, SHA256()))


def _builder(subject: x509.Name, by: Signed | None, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    issuer = by.certificate.subject if by else subject
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=30))
    if by:
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.key.public_key())
        builder = builder.add_extension(signer, critical=False)
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
