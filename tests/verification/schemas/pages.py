"""Access to the pages of provider schemas."""

from typing import Any

from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from integrations.submissions.models import Integration


def build_client(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def fetch_page(user: Any, name: str, row: Integration, **query: str) -> BeautifulSoup:
    answer = build_client(user).get(reverse(name, args=[row.uuid]), query)
    assert answer.status_code == 200
    return BeautifulSoup(answer.content, "html.parser")
