"""Tests of the form for provider acceptance tests."""

from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm


def list_errors(base: str, changed_config: str) -> list[str]:
    return sorted(
        ProviderLifecycleTestForm([], data={"version": "1.4.0", "base": base, "changed": changed_config}).errors
    )


def test_configuration_without_a_resource_is_a_field_error() -> None:
    assert list_errors("# nothing", "# nothing else") == ["base"]


def test_unchanged_configuration_is_a_field_error() -> None:
    assert list_errors("# nothing", "# nothing") == ["base", "changed"]
