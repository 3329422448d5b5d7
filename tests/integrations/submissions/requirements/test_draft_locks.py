"""Tests of drafts that are saved during a submission on PostgreSQL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from integrations.submissions.models import Integration, IntegrationDraft
from integrations.submissions.services import drafts
from portal.accounts.models import User
from tests.concurrency import run_concurrently
from tests.integrations.submissions.requirements.pages import FORM, SUBMITTED_VALUES, submit_action

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_submission_does_not_end_a_draft_saved_just_before_its_lock(
    rocket: Integration, alice: User, bob: User, sign_in: Any
) -> None:
    client = sign_in(alice)
    now = timezone.now()
    saved = []
    draft = drafts.get_or_create_answer_draft(rocket, FORM, actor=bob, now=now)
    drafts.save_draft(draft, {"users": "Nine"}, version=0, actor=bob, now=now)

    def save_draft() -> None:
        drafts.save_draft(draft, {"users": "Eleven"}, version=1, actor=bob, now=now)

    def save_before_first_lock(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if not saved and "FOR UPDATE" in sql and "submissions_integration" in sql:
            saved.append(sql)
            assert run_concurrently(save_draft) == [None]
        return execute(sql, *arguments)

    with connection.execute_wrapper(save_before_first_lock):
        response = submit_action(client, rocket, FORM, "answer", answered=0, version=1, **SUBMITTED_VALUES)
    assert (response.status_code, len(saved)) == (409, 1)
    assert IntegrationDraft.objects.get(sent_at=None).data == {"users": "Eleven"}
    assert not rocket.fulfillments.filter(requirement_id=FORM).exists()
