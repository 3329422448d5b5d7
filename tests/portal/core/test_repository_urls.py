"""Tests of the repository URLs that the portal accepts."""

import pytest

from portal.core.repository_urls import InvalidRepositoryUrlError, get_product_name, parse_repository


@pytest.mark.parametrize(
    "address",
    [
        "acme/rocket",
        "https://github.com/acme/rocket",
        "http://github.com/acme/rocket",
        "https://www.github.com/acme/rocket/",
        "https://GitHub.com/acme/rocket.git",
        "  github.com/acme/rocket  ",
        "https://github.com/acme/rocket/tree/main/docs?tab=readme#top",
        "git@github.com:acme/rocket.git",
        "ssh://git@github.com/acme/rocket.git",
    ],
)
def test_repository_url_is_parsed_in_each_form(address):
    assert parse_repository(address) == "acme/rocket"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "   ",
        "rocket",
        "https://github.com",
        "https://github.com/acme",
        "https://gitlab.com/acme/rocket",
        "https://github.com.evil.example/acme/rocket",
        "https://evil.example/github.com/acme/rocket",
        "https://github.com@evil.example/acme/rocket",
        "https://user:word@github.com/acme/rocket",
        "https://github.com:8443/acme/rocket",
        "https://gıthub.com/acme/rocket",
        "https://github。com/acme/rocket",
        "https://raw.githubusercontent.com/acme/rocket",
        "file:///etc/passwd",
        "javascript://github.com/acme/rocket",
        "https://127.0.0.1/acme/rocket",
        "git@evil.example:acme/rocket.git",
        "https://github.com/../../etc",
        "acme/..",
        "-acme/rocket",
        "acme/roc ket",
        "acme/roc\nket",
        "acme\\rocket",
        "acme/" + "r" * 101,
        "https://github.com/" + "a" * 400,
    ],
)
def test_url_of_no_allowed_repository_is_refused(address):
    with pytest.raises(InvalidRepositoryUrlError) as refusal:
        parse_repository(address)
    assert str(refusal.value).endswith((".", "letters."))


def test_url_on_the_configured_host_is_parsed(settings):
    settings.GITHUB_WEB_URL = "http://127.0.0.1:9000"
    assert parse_repository("http://127.0.0.1:9000/acme/rocket") == "acme/rocket"
    with pytest.raises(InvalidRepositoryUrlError, match="on 127"):
        parse_repository("https://github.com/acme/rocket")


@pytest.mark.parametrize(
    ("repository", "product"),
    [
        ("acme/terraform-provider-rocket", "rocket"),
        ("acme/nomad-driver-rocket", "rocket"),
        ("acme/vault-plugin-secrets-rocket", "rocket"),
        ("acme/packer-plugin-rocket", "rocket"),
        ("acme/rocket", "rocket"),
        ("terraform-provider-", "terraform-provider-"),
        ("", ""),
    ],
)
def test_product_is_read_from_the_repository_name(repository, product):
    assert get_product_name(repository) == product


def test_text_that_is_not_a_url_is_refused_with_an_example():
    with pytest.raises(InvalidRepositoryUrlError, match=r"such as https://github\.com/owner/name"):
        parse_repository("our rocket provider")
