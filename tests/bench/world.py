"""Rows for benchmarks: one real integration and any number of copies."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conftest import advance_to_stage, create_integration


def build() -> tuple[Integration, User, User]:
    """Create an integration in review. Return it with its owner and a reviewer."""
    now = timezone.now()
    owner = User.objects.create_user("owner@bench.example", "bench", name="Olive Owner")
    reviewer = User.objects.create_user("reviewer@bench.example", "bench", name="Rex Reviewer", is_reviewer=True)
    partner = Partner.objects.create(
        name="Bench", slug="bench", domain="bench.example", created_at=now, verification_state="verified"
    )
    Membership.objects.create(partner=partner, user=owner, role="owner", joined_at=now)
    row = advance_to_stage(
        create_integration(partner, owner, now=now), "review", partner=owner, reviewer=reviewer, now=now
    )
    return row, owner, reviewer


def fill(like: Integration, count: int) -> None:
    """Copy an integration, for many partners, until there are `count`."""
    now = timezone.now()
    have = Integration.objects.count()
    partners = Partner.objects.count()
    Partner.objects.bulk_create(
        Partner(
            name=f"Company {n}",
            skeleton=f"company{n}",
            name_key=f"company{n}",
            slug=f"company-{n}",
            created_at=now,
            verification_state="verified",
        )
        for n in range(partners, partners + max(1, (count - have) // 20))
    )
    owners = list(Partner.objects.values_list("pk", flat=True))
    fixed_columns: dict[str, Any] = {
        f.attname: getattr(like, f.attname)
        for f in Integration._meta.concrete_fields
        if f.attname not in {"id", "uuid", "name", "name_key", "partner_id", "action_due_at"}
    }
    Integration.objects.bulk_create(
        (
            Integration(
                **fixed_columns,
                uuid=uuid4(),
                partner_id=owners[n % len(owners)],
                name=f"Integration {n}",
                name_key=f"integration{n}",
                action_due_at=now + timedelta(minutes=n),
            )
            for n in range(have, count)
        ),
        batch_size=1000,
    )
