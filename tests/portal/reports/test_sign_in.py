"""Addresses that only accept a POST: after a sign-in, and after a reload, they lead to a page."""

from typing import Any

import pytest


def test_subscriptions_are_restored_after_a_sign_in(client: Any, sign_in: Any, alice: Any, acme: Any) -> None:
    scope = f"partner:{acme.slug}"
    client.post("/reports/subscriptions/", {scope: "monthly"})
    answer = sign_in(alice).get("/reports/subscriptions/")
    assert (answer.status_code, answer.context["form"][scope].value()) == (200, "monthly")


def test_recipient_is_restored_after_a_sign_in(client: Any, sign_in: Any, sam: Any) -> None:
    client.post("/reports/programs/recipients/add/", {"email": "vip@example.com", "frequency": "monthly"})
    answer = sign_in(sam).get("/reports/programs/recipients/add/")
    form = answer.context["external_form"]
    assert (answer.status_code, form["email"].value(), form["frequency"].value()) == (200, "vip@example.com", "monthly")


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("/theme/", "/"),
        ("/reports/subscriptions/", "/reports/"),
        ("/reports/programs/recipients/add/", "/reports/programs/recipients/"),
        ("/reports/programs/recipients/1/remove/", "/reports/programs/recipients/"),
    ],
)
def test_reload_of_an_action_leads_to_its_page(sign_in: Any, sam: Any, address: str, target: str) -> None:
    assert sign_in(sam).get(address).headers["Location"] == target
