"""Tests of addresses that people enter."""

import pytest
from django.core.exceptions import ValidationError

from verification.discovery.addresses import AddressKind, parse_address

REPOSITORY = (AddressKind.REPOSITORY, "acme/rocket")
PROVIDER = (AddressKind.PROVIDER, "acme/rocket")
NAMESPACE = (AddressKind.NAMESPACE, "acme")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://github.com/acme/rocket", REPOSITORY),
        (" https://www.github.com/acme/rocket.git ", REPOSITORY),
        ("github.com/acme/rocket/tree/main/docs?x=1#y", REPOSITORY),
        ("git@github.com:acme/rocket.git", REPOSITORY),
        ("acme/rocket", REPOSITORY),
        ("https://registry.terraform.io/providers/acme/rocket/latest/docs", PROVIDER),
        ("registry.terraform.io/providers/acme/rocket", PROVIDER),
        ("https://registry.terraform.io/v1/providers/acme/rocket/versions", PROVIDER),
        ("https://registry.terraform.io/namespaces/acme", NAMESPACE),
        ("https://REGISTRY.terraform.io/providers/acme/", NAMESPACE),
        ("https://tasks.acme.com/run?key=1", (AddressKind.ENDPOINT, "https://tasks.acme.com/run?key=1")),
    ],
)
def test_address_is_parsed(text: str, address: tuple[AddressKind, str]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://github.com/acme", "Enter a URL with an owner and a repository"),
        ("https://[", "Enter a valid URL"),
        ("rocket", "Enter a URL with an owner and a repository"),
        ("https://registry.terraform.io/modules/acme/x/aws", "Enter the registry page of a provider or a namespace"),
        ("https://registry.terraform.io/providers/acme/..", "Enter the registry page of a provider or a namespace"),
        ("https://registry.terraform.io/providers/acme/./x", "Enter the registry page of a provider or a namespace"),
        ("ftp://tasks.acme.com/run", "Enter a URL that starts with https://github.com/."),
        ("https://github.com/acme/roc ket", "The URL contains characters"),
        ("x" * 301, "Enter a URL of 300 characters or fewer."),
    ],
)
def test_unreadable_address_is_refused_with_advice(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as error:
        parse_address(text)
    assert error.value.message.startswith(message)


@pytest.mark.parametrize("text", ["http://tasks.acme.com/run", "https://127.0.0.1/run", "https://user@tasks.acme.com/"])
def test_endpoint_that_the_portal_must_not_call_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        parse_address(text)
