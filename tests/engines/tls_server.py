"""TLS for a receiver on loopback, with a certificate that a test chooses."""

from __future__ import annotations

import ssl

import trustme


def serving(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context
