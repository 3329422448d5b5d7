"""Tests of the SLA dashboard without clocks in the shown state."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import SlaClock

pytestmark = pytest.mark.any_database


def test_page_without_open_clocks_offers_all_clocks(issues: Any, rita: Any, sign_in: Any) -> None:
    SlaClock.objects.update(state=ClockStatus.MET)
    empty = BeautifulSoup(sign_in(rita).get("/sla/").content, "html.parser").select_one(".empty")
    assert (empty.h2.text, empty.a["href"]) == ("No open clocks", "?state=all")
