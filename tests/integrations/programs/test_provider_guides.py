"""Tests of the guides that authors of providers find in the program."""

import pytest

from integrations.programs.registry import get_edition


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("a) Guide to writing custom providers", "www.terraform.io/guides/writing-custom-terraform-providers.html"),
        ("Go installation guide", "go.dev/doc/install"),
        ("d) Example provider: AWS", "github.com/hashicorp/terraform-provider-aws"),
        ("Provider configuration and versions", "developer.hashicorp.com/terraform/language/providers/configuration"),
    ],
)
def test_preparation_leads_to_the_guide(title: str, url: str) -> None:
    links = get_edition("terraform-provider", "2021-10").get_step("prepare").links
    assert {link.title: link.url for link in links}[title] == f"https://{url}"


def test_code_checks_cover_the_library_and_the_tests_of_the_guide() -> None:
    requirement = get_edition("terraform-provider", "2021-10").get_requirement("TP-CODE")
    assert requirement is not None
    assert {"go.plugin_library", "go.acceptance_tests"} <= set(requirement.checks)
