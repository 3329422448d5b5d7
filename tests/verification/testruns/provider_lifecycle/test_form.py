"""Tests of the form for provider acceptance tests."""

from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm


def errors_of(base: str, changed_config: str) -> list[str]:
    return sorted(
        ProviderLifecycleTestForm([], data={"version": "1.4.0", "base": base, "changed": changed_config}).errors
    )


def test_configurations_without_a_resource_are_answered_next_to_the_field() -> None:
    assert errors_of("# nothing", "# nothing else") == ["base"]


def test_same_configuration_twice_is_said_of_the_second() -> None:
    assert errors_of("# nothing", "# nothing") == ["base", "changed"]
