"""Tests that exports are complete, typed, filtered like their page, and free of formulas."""

import csv
import io
import re
import tracemalloc
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import pytest
from bs4 import BeautifulSoup
from django.http import Http404, HttpRequest
from django.utils import timezone
from openpyxl import load_workbook

from integrations.submissions.models import Integration, RequirementFulfillment
from portal.accounts.requests import AuthenticatedRequest
from portal.analytics.exports import EXPORTS, build_table
from portal.analytics.selectors import workload
from portal.core.exports import ExportTable, generate_csv
from portal.core.xlsx_exports import generate_xlsx
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.sla.pages.issues import create_issue
from tests.replay import replay_fixture

SignIn = Callable[[Any], Any]
FORMULAS = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "#N/A")
EXPORTED_AT = datetime(2026, 4, 14, 9, 30, tzinfo=UTC)


def read_body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def read_sheet(content: bytes) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in load_workbook(io.BytesIO(content)).active.iter_rows()]  # type: ignore[union-attr]


def test_no_text_is_a_formula_in_either_file() -> None:
    table = ExportTable("t", ("a",), [(text,) for text in FORMULAS])
    rows = list(csv.reader(io.StringIO("".join(generate_csv(table)), newline="")))
    assert [row[0][0] for row in rows[1:]] == ["'"] * (len(FORMULAS) - 1) + ["#"]
    with generate_xlsx(table) as file:
        book = load_workbook(file)
    assert {cell.data_type for row in book.active.iter_rows(min_row=2) for cell in row} == {"s"}  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["a;=1+1", "a\t=1+1", "a\n=1+1\n", 'a;"=1+1;', "Note:\r\n＝1+1", "a\n-1+1"])
def test_no_part_of_a_text_is_a_formula_where_semicolons_separate_cells(text: str) -> None:
    """Excel ignores the commas then, so that the quotation marks around a text don't protect it."""
    content = "".join(generate_csv(ExportTable("t", ("a", "b"), [("a", text)])))
    for delimiter in (";", "\t"):
        rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter)
        assert [cell for row in rows for cell in row if cell.startswith(("=", "-", "＝"))] == []


def test_cells_keep_their_types() -> None:
    table = ExportTable(
        "t",
        ("text", "number", "share", "moment", "day", "yes", "none"),
        [("ä\x00b", 3, 1.5, EXPORTED_AT, date(2026, 4, 14), True, None)],
    )
    with generate_xlsx(table) as file:
        book = load_workbook(file)
    sheet: Any = book.active
    assert sheet.freeze_panes == "A2"
    assert [cell.value for cell in sheet[2]] == [
        "äb",
        3,
        1.5,
        datetime(2026, 4, 14, 9, 30),
        datetime(2026, 4, 14),
        "yes",
        None,
    ]
    assert "".join(generate_csv(table)).splitlines()[1].endswith("3,1.5,2026-04-14T09:30:00+00:00,2026-04-14,yes,")


def test_many_rows_take_little_memory() -> None:
    def rows() -> Any:
        for n in range(3_000):
            yield (f"Integration {n}", n, EXPORTED_AT, "x" * 60)

    tracemalloc.start()
    content = generate_xlsx(ExportTable("t", ("a", "b", "c", "d"), rows()))
    assert sum(len(piece) for piece in generate_csv(ExportTable("t", ("a", "b", "c", "d"), rows()))) > 270_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    content.close()
    assert peak < 3_000_000


@pytest.fixture
@replay_fixture
def exported_integrations(acme: Any, globex: Any, alice: Any, charlie: Any) -> list[Integration]:
    return [
        create_integration(acme, alice, name="=Rocket"),
        create_integration(acme, alice, "vault", name="Safe", repository="acme/safe", repository_id=2),
        create_integration(globex, charlie, name="Other", repository="globex/other", repository_id=3),
    ]


def test_file_has_the_filtered_rows_that_the_reader_can_see(
    sign_in: SignIn, exported_integrations: Any, alice: Any, rita: Any
) -> None:
    client = sign_in(alice)
    answer = client.get("/exports/integrations.csv?program=nomad")
    assert answer["Content-Disposition"].startswith('attachment; filename="integrations-20')
    rows = list(csv.DictReader(io.StringIO(read_body(answer).decode("utf-8-sig"))))
    assert [row["integration"] for row in rows] == ["'=Rocket"]
    assert "reviewer" not in rows[0]
    head, *file_rows = read_sheet(read_body(client.get("/exports/integrations.xlsx?sort=name")))
    assert [row[0] for row in file_rows] == ["=Rocket", "Safe"]
    assert isinstance(file_rows[0][head.index("began_at")], datetime)
    assert len(read_sheet(read_body(sign_in(rita).get("/exports/integrations.xlsx")))) == 4


@pytest.mark.parametrize(
    "table",
    [
        "queue",
        "stages",
        "responsible-parties",
        "throughput",
        "funnel",
        "reviewers",
        "forecast",
        "waivers",
        "failing",
        "emails",
        "partners",
        "agreements",
        "nonsense",
    ],
)
def test_tables_of_the_program_are_for_program_staff_only(
    sign_in: SignIn, exported_integrations: Any, alice: Any, rita: Any, table: str
) -> None:
    assert sign_in(alice).get(f"/exports/{table}.csv").status_code == 404
    expected = 404 if table == "nonsense" else 200
    for form in ("csv", "xlsx"):
        answer = sign_in(rita).get(f"/exports/{table}.{form}?program=nomad&period=365")
        assert answer.status_code == expected
        if expected == 200:
            assert read_body(answer)


def test_sla_list_is_exported(sign_in: SignIn, alice: Any) -> None:
    head, *rows = read_sheet(read_body(sign_in(alice).get("/exports/sla.xlsx")))
    assert head[0] == "issue"
    assert rows == []


@pytest.mark.any_database
@pytest.mark.parametrize("title", ["2026-04-14Totally broken everywhere", "2026-04-14T09:00:00+00:00", "=1+1 is two"])
def test_title_that_looks_like_a_value_stays_text(sign_in: SignIn, integration_at: Any, alice: Any, title: str) -> None:
    now = timezone.now()
    create_issue(integration_at("support"), title, now, labels=("critical",))
    (row,) = read_sheet(read_body(sign_in(alice).get("/exports/sla.xlsx")))[1:]
    assert (row[1], row[13].date()) == (title, now.date())
    titles = [row["title"].removeprefix("'") for row in read_rows(sign_in, alice, "/exports/sla.csv")]
    assert titles == [title]


def read_rows(sign_in: SignIn, who: Any, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(read_body(sign_in(who).get(address)).decode("utf-8-sig"))))


def test_waivers_and_failing_checks_are_exported_completely(
    sign_in: SignIn, exported_integrations: Any, alice: Any, rita: Any
) -> None:
    until = timezone.now() + timedelta(days=30)
    for number in range(workload.MAX_ROWS + 3):
        RequirementFulfillment.objects.create(
            integration=exported_integrations[0],
            requirement_id=f"R-{number}",
            status="waived",
            waiver_expires_at=until,
            waiver_reason="=1+1",
            submitted_by=alice,
            waived_by=rita,
        )
    RequirementFulfillment.objects.create(integration=exported_integrations[1], requirement_id="R-1", status="fail")
    waivers = read_rows(sign_in, rita, "/exports/waivers.csv?program=nomad")
    assert len(waivers) == workload.MAX_ROWS + 3
    assert (waivers[0]["waiver_reason"], waivers[0]["granted_by"], waivers[0]["integration"]) == (
        "'=1+1",
        "Rita Reyes",
        "'=Rocket",
    )
    (failing,) = read_rows(sign_in, rita, "/exports/failing.csv")
    assert (failing["check"], failing["failed"], failing["checked"]) == ("R-1", "1", "1")


def test_email_log_and_partners_are_exported_with_their_filters(
    sign_in: SignIn, exported_integrations: Any, rita: Any
) -> None:
    now = timezone.now()
    email_fields = {"name": "message", "text": "secret", "html": "", "created_at": now}
    EmailMessage.objects.create(key="a", to="a@acme.example", subject="=HYPERLINK(1)", state="failed", **email_fields)
    EmailMessage.objects.create(key="b", to="b@acme.example", subject="Fine", state="sent", **email_fields)
    (mail,) = read_rows(sign_in, rita, "/exports/emails.csv?state=failed")
    assert (mail["subject"], mail["to"], mail["state"]) == ("'=HYPERLINK(1)", "a@acme.example", "Failed")
    assert "secret" not in str(mail)
    (company,) = read_rows(sign_in, rita, "/exports/partners.csv?q=acme")
    assert (company["partner"], company["open"], company["listed"]) == ("Acme", "2", "0")


def test_files_are_in_the_order_of_their_tables(sign_in: SignIn, rita: Any) -> None:
    page = BeautifulSoup(sign_in(rita).get("/analytics/people/").content, "html.parser")
    labels = [link.get_text(strip=True) for link in page.select('a[href$=".csv"]')]
    assert labels == ["Reviewers CSV", "Checks CSV", "Waivers CSV"]


def test_each_list_links_to_its_files(sign_in: SignIn, exported_integrations: Any, rita: Any) -> None:
    client = sign_in(rita)
    for page, table in (
        ("/companies/?q=a", "partners"),
        ("/emails/?state=sent", "emails"),
        ("/analytics/people/", "waivers"),
    ):
        assert f"/exports/{table}.xlsx" in client.get(page).content.decode()


def test_unknown_table_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(Http404) as error:
        build_table("nonsense", cast(AuthenticatedRequest, HttpRequest()), timezone.now())
    assert str(error.value) == f"Unknown table. Use one of: {', '.join(EXPORTS)}."


def test_columns_are_named_like_fields_of_the_api(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    heads = {table: read_body(client.get(f"/exports/{table}.csv")).decode("utf-8-sig") for table in EXPORTS}
    names = [name for head in heads.values() for name in head.splitlines()[0].split(",")]
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)] == []
