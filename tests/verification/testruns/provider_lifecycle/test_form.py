"""What is said of configurations that make nothing? Pure: the form alone."""

from verification.testruns.kinds.provider_lifecycle.forms import RehearseLifecycle


def errors_of(base: str, changed: str) -> list[str]:
    return sorted(RehearseLifecycle([], {"version": "1.4.0", "base": base, "changed": changed}).errors)


def test_configurations_without_a_resource_are_answered_beside_the_field() -> None:
    assert errors_of("# nothing", "# nothing else") == ["base"]


def test_the_same_configuration_twice_is_said_of_the_second() -> None:
    assert errors_of("# nothing", "# nothing") == ["base", "changed"]
