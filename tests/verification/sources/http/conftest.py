"""Fixture of a server with a certificate that only its test trusts."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.verification.sources.http.server import Server, respond


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[tuple[Server, ssl.SSLContext]]:
    """Yield a TLS server for registry.acme.io and a client context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "registry.acme.io")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("registry.acme.io")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    private_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private_key + certificate.public_bytes(serialization.Encoding.PEM))
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(path)
    client_context = ssl.create_default_context(cadata=certificate.public_bytes(serialization.Encoding.PEM).decode())
    server = Server({"/json": respond(b"{}")}, wrap=lambda sock: server_context.wrap_socket(sock, server_side=True))
    yield server, client_context
    server.stop()
