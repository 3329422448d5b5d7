import pytest

from tests.fakes.registry import Provider
from verification.base import Denied, NotFound, Unavailable
from verification.sources import registry as source
from verification.sources.registry import Registry


def test_provider_is_read_as_it_is(registry):
    registry.publish(Provider("acme/rocket", tier="partner", versions=("1.0.0", "1.2.0"), downloads=12))
    found = Registry().provider("acme", "rocket")
    assert (found.full_name, found.tier, found.version, found.downloads) == ("acme/rocket", "partner", "1.2.0", 12)
    assert found.source == "https://github.com/acme/terraform-provider-rocket"


def test_provider_that_is_not_listed(registry):
    with pytest.raises(NotFound, match="does not list acme/rocket"):
        Registry().provider("acme", "rocket")


def test_second_question_is_not_asked_again(registry):
    registry.publish(Provider("acme/rocket"))
    client = Registry()
    assert client.provider("acme", "rocket") == client.provider("acme", "rocket")
    assert registry.seen == ["/v1/providers/acme/rocket"]


@pytest.mark.parametrize(
    ("status", "body", "refusal"),
    [
        (500, b"", Unavailable),
        (302, b"", Unavailable),
        (403, b"", Denied),
        (200, b"<html>", Unavailable),
        (200, b"[]", Unavailable),
        (200, b'{"namespace": "acme"}', Unavailable),
        (200, b'{"namespace": 1, "name": 2, "version": 3, "source": 4}', Unavailable),
        (200, b"[" * 200_000, Unavailable),
    ],
)
def test_answer_that_is_no_provider(registry, status, body, refusal):
    registry.fail(status, body)
    with pytest.raises(refusal):
        Registry().provider("acme", "rocket")


def test_answer_that_is_too_long_is_unavailable(registry, monkeypatch):
    monkeypatch.setattr(source, "MAX_BYTES", 1000)
    registry.fail(200, b" " * 2000)
    with pytest.raises(Unavailable, match="too long"):
        Registry().provider("acme", "rocket")


def test_unreachable_registry_is_unavailable():
    with pytest.raises(Unavailable, match="did not answer"):
        Registry("http://127.0.0.1:1").provider("acme", "rocket")


def test_names_cannot_leave_their_place_in_the_address(registry):
    with pytest.raises(NotFound):
        Registry().provider("../../admin?x=", "a/b")
    assert registry.seen == ["/v1/providers/..%2F..%2Fadmin%3Fx%3D/a%2Fb"]
