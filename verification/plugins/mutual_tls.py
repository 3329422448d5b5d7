"""Mutual TLS between a plugin and its client, as go-plugin's AutoMTLS: each side makes a certificate for one run.

gRPC connects to a relay here that speaks TLS with the plugin. Its own TLS can't: BoringSSL lacks the curve P-521 of the
certificates that go-plugin makes.
"""

import asyncio
import socket
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from verification.plugins.handshake import HandshakeError
from verification.sandbox import relays

CERTIFICATE_HOST = "localhost"  # that both certificates are made out to
VALIDITY = timedelta(days=1)
CLOCK_SKEW = timedelta(minutes=1)
CONNECT_SECONDS = 5.0
# As in Go, which checks no key sizes: providers in Python have RSA keys of 1024 bits.
CIPHERS = "DEFAULT:@SECLEVEL=1"


def create_context() -> tuple[ssl.SSLContext, str]:
    """Return a TLS context with a new client certificate, and that certificate for the plugin as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, CERTIFICATE_HOST)])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + VALIDITY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    ).public_bytes(Encoding.PEM)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    context.set_ciphers(CIPHERS)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the plugin's certificate needs no authority
    with tempfile.NamedTemporaryFile() as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + certificate)
        file.flush()
        context.load_cert_chain(file.name)
    return context, certificate.decode()


@contextmanager
def open_relay(path: str, relay_path: str, context: ssl.SSLContext, certificate: bytes) -> Iterator[None]:
    """Relay plain connections to one socket to another with TLS.

    Args:
        path: The socket of the plugin.
        relay_path: The socket to create.
        context: From create_context().
        certificate: The only certificate of the plugin to trust, as DER.

    Raises:
        HandshakeError: The plugin is reached, but TLS with it fails.
    """
    try:
        context.load_verify_locations(cadata=certificate)
    except ssl.SSLError:
        raise HandshakeError("tls", "The certificate in the handshake is not a certificate.") from None
    _check_connection(path, context)

    async def connect(near: relays.Stream) -> None:
        far = await asyncio.open_unix_connection(path, ssl=context, server_hostname=CERTIFICATE_HOST)
        await relays.join(near, far)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(relay_path)
        with relays.serve(listener, connect):
            yield


def _check_connection(path: str, context: ssl.SSLContext) -> None:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(CONNECT_SECONDS)
        plain.connect(path)
        try:
            context.wrap_socket(plain, server_hostname=CERTIFICATE_HOST).close()
        except ssl.SSLCertVerificationError:
            raise HandshakeError("tls", "The plugin doesn't use the certificate that is in its handshake.") from None
        except ssl.SSLEOFError:
            return  # it has ended, which the first call reports
        except ssl.SSLError:
            raise HandshakeError("tls", "The plugin offers a certificate, but doesn't speak TLS.") from None
