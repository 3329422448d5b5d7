"""Test of the migration that moves signatures to a table of their own."""

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = [("submissions", "0001_initial")]


@pytest.mark.django_db(transaction=True)
def test_recorded_signatures_are_kept(acme, now):
    MigrationExecutor(connection).migrate(BEFORE)
    try:
        model = MigrationExecutor(connection).loader.project_state(BEFORE).apps.get_model("submissions", "Agreement")
        signed = {"partner_signer": "Alice Archer", "partner_signed_on": date(2026, 1, 9), "created_at": now}
        program = {"program_signer": "Rita Reyes", "program_signed_on": date(2026, 1, 5)}
        model.objects.create(partner_id=acme.pk, kind="tpa", version="2025-01", **signed, **program)
        model.objects.create(partner_id=acme.pk, kind="tpa", version="2026-01", **signed)
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
    agreement = acme.agreements.get()
    assert (agreement.version, agreement.method, agreement.completed_at, agreement.text) == (
        "2025-01",
        "recorded",
        datetime(2026, 1, 9, tzinfo=UTC),
        "",
    )
    assert list(agreement.signatures.values_list("side", "signer", "signed_at").order_by("pk")) == [
        ("partner", "Alice Archer", datetime(2026, 1, 9, tzinfo=UTC)),
        ("program", "Rita Reyes", datetime(2026, 1, 5, tzinfo=UTC)),
    ]
