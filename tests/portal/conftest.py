"""Who looks at the portal in these tests, and what is there to be seen?"""

from typing import Any

import pytest

from integrations.models import Membership
from tests.conftest import person
from tests.portal import everything


@pytest.fixture
def cast(alice: Any, bob: Any, acme: Any, charlie: Any, rita: Any, rob: Any, sam: Any, now: Any) -> dict[str, Any]:
    """Everybody by name, with a viewer of Acme; nobody for the visitor."""
    vera = person("vera@acme.example", "Vera Voss")
    Membership.objects.create(partner=acme, user=vera, role="viewer", joined_at=now)
    people = {"alice": alice, "bob": bob, "vera": vera, "charlie": charlie, "rita": rita, "rob": rob, "sam": sam}
    return {"anonymous": None, **people}


@pytest.fixture
def world(acme: Any, globex: Any, cast: Any) -> dict[str, Any]:
    """One of everything, by what it is."""
    return everything.build(acme, globex, cast)
