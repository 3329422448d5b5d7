"""Style guide page with all components and sample data."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Unpack

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.core.files.base import ContentFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from portal.core.form_arguments import FormArguments
from portal.core.text_fields import MultiLineField, SingleLineField
from portal.core.value_types import TemplateContext
from portal.styleguide.catalog import render_all_parts
from portal.styleguide.colors import RAMP, build_swatches
from portal.styleguide.samples import build_samples
from portal.ui.components.inline import BUTTON_TONES, OUTCOMES
from portal.ui.components.markup import TONES

SAMPLE_EMAIL = """Changes requested: Rocket provider

Action required: Respond to 2 findings by Tue, Apr 14, 2:10 PM.

1. The signature does not match the file. Sign the release again with the key that you registered.
2. The documentation page of rocket_stage is missing.

View requested changes: https://portal.example/integrations/rocket
"""
PATH = [
    {"name": "Prepare", "state": "done", "href": "#prepare"},
    {"name": "Publish", "state": "done"},
    {"name": "Apply", "state": "done"},
    {"name": "Verify", "state": "current", "note": "round 2"},
    {"name": "Support", "state": "next"},
]
SNIPPET = """terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = "~> 1.4" }
  }
}"""
SIZES = (12, 13, 14, 16, 20, 26, 34)
SPACES = (4, 8, 12, 16, 24, 32, 48, 64)
USED_METER = [("counted", 26.0), ("paused", 6.0), ("counted", 10.0), ("left", 12.0)]
BREACHED_METER = [("counted", 30.0), ("paused", 8.0), ("counted", 18.0), ("over", 9.0)]


@dataclass(frozen=True, slots=True)
class SamplePerson:
    """Sample person."""

    name: str
    email: str


RITA = SamplePerson("Rita Tan", "rita@portal.example")
ALICE = SamplePerson("Alice Moreau", "alice@acme.example")


class SampleForm(forms.Form):
    """Form with one field of each type. Submit it empty to see the errors."""

    name = SingleLineField(
        label="Name", max_length=60, initial="Rocket provider", help_text="The name that your users know."
    )
    repository = forms.URLField(label="Repository", assume_scheme="https", help_text="The public repository on GitHub.")
    category = forms.ChoiceField(label="Category", choices=[("net", "Networking"), ("db", "Database")])
    summary = MultiLineField(label="Summary", max_lines=2, required=False, help_text="Two lines at most.")
    offering = forms.ChoiceField(
        label="Compatible products", widget=forms.RadioSelect, choices=[("oss", "Open Source"), ("ent", "Enterprise")]
    )
    parts = forms.MultipleChoiceField(
        label="Supported stages",
        widget=forms.CheckboxSelectMultiple,
        choices=[("pre", "Before plan"), ("post", "After plan")],
    )
    log = forms.FileField(label="Test log", required=False, help_text="Text or ZIP, up to 20 MB.")
    promise = forms.BooleanField(label="We respond to critical issues within 48 hours")

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["name"].prefilled = "from the repository"  # type: ignore[attr-defined]


def build_rows(now: datetime) -> list[dict[str, object]]:
    """Return sample rows of a table, most urgent first."""
    return [
        {
            "name": "acme/rocket",
            "sub": "2 findings resolved, key changed",
            "place": "Verify · round 2",
            "tone": "bad",
            "due": now - timedelta(hours=2),
            "checks": {"pass": 14, "warn": 1},
            "who": RITA,
        },
        {
            "name": "globex/scan",
            "sub": "new",
            "place": "Review",
            "tone": "warn",
            "due": now + timedelta(hours=3, minutes=20),
            "checks": {"pass": 11, "fail": 2, "error": 1},
            "who": None,
        },
        {
            "name": "initech/terraform-provider-with-a-rather-long-name",
            "sub": "waiting for the agreement",
            "place": "Release",
            "tone": "",
            "due": now + timedelta(days=4),
            "checks": {"pass": 16},
            "who": RITA,
        },
    ]


def build_queue(now: datetime) -> list[dict[str, object]]:
    """Return sample rows in the format of integrations.reviews.selectors.queue."""
    common = {
        "href": "#queue",
        "checks": "14✓ 1!",
        "checks_label": "14 passed, 1 warning",
        "claim_href": "#queue",
        "since": now - timedelta(days=1),
    }
    first = {
        "name": "Rocket provider",
        "company": "Acme",
        "program": "Terraform provider",
        "position": "Verify, round 2",
    }
    second = {"name": "Scan", "company": "Globex", "program": "Terraform run task", "position": "Review"}
    claimed_row = {"reasons": ["2 findings resolved"], "reviewer": "you", "claim": "", "is_mine": True}
    free_row = {"reasons": [], "reviewer": "", "claim": "Claim review", "is_mine": False}
    return [
        {**common, **first, **claimed_row, "due": now + timedelta(hours=3)},
        {**common, **second, **free_row, "due": now + timedelta(days=2)},
    ]


def build_context(now: datetime, form: SampleForm) -> TemplateContext:
    """Return the context of the page with times relative to now."""
    return {
        "now": now,
        "earlier": now - timedelta(minutes=12),
        "yesterday": now - timedelta(days=1, hours=3),
        "soon": now + timedelta(hours=3, minutes=5),
        "later": now + timedelta(days=3),
        "tones": TONES,
        "outcomes": list(OUTCOMES),
        "button_tones": BUTTON_TONES,
        "rows": build_rows(now),
        "steps": PATH,
        "used": USED_METER,
        "breached": BREACHED_METER,
        "rita": RITA,
        "alice": ALICE,
        "mail": SAMPLE_EMAIL,
        "form": form,
        "page": Paginator(range(117), 50).page(2),
        "document": ContentFile(b"x" * 18_400, name="log.txt"),
        "counts": {"pass": 14, "warn": 1, "fail": 2},
        "queue": build_queue(now),
        "snippet": SNIPPET,
        **build_samples(now, USED_METER),
    }


@login_not_required
def show_styleguide(request: HttpRequest) -> HttpResponse:
    """Show the style guide. Submitting the form only shows its errors."""
    form = SampleForm(data=request.POST if request.method == "POST" else None)
    groups = render_all_parts(build_context(timezone.now(), form), request)
    measures = {
        "sides": ("light", "dark"),
        "swatches": build_swatches(),
        "ramp": RAMP,
        "sizes": SIZES,
        "spaces": SPACES,
    }
    return render(request, "styleguide/styleguide.html", {"groups": groups, **measures})
