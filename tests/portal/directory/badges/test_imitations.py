"""Tests of names that imitate a badge, in forms, images, and signed statements."""

import json
import xml.etree.ElementTree as ET
from datetime import date
from typing import Any

import pytest
from django.test import Client

from integrations.partners.models import Partner
from integrations.partners.name_validation import explain_name_refusal
from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.models import Integration
from portal.core.badge_impersonation import BADGE_REFUSAL, is_badge_imitation, strip_decoration
from portal.directory.badges import embed_codes, payloads, rendering, signing_keys
from portal.directory.badges.statements import build_claims
from tests.portal.directory.badges.sample_status import SINCE, build_status

IMITATIONS = (
    "✓ HashiCorp verified",
    "HashiCorp Verified",
    "HASHICORP-VERIFIED",
    "HаshiCorp verifiеd",  # Cyrillic а and е
    "Hashicorp_verified",
    "Verified·by·HashiCorp",
    "Verifled by HashiCorp",  # a lowercase l
    "HashiCorp V3rified",
    "𝐕𝐞𝐫𝐢𝐟𝐢𝐞𝐝 Terraform",  # mathematical alphanumeric symbols
    "Ｖｅｒｉｆｉｅｄ Ｔｅｒｒａｆｏｒｍ",
    "V e r i f i e d",
    "Verified",
    "Rocket (verified)",
    "[Official] Rocket",
    "Rocket | Partner Premier",
    "Rocket: Official provider",
    "Partner Premier",
    "Official Vault plugin",
    "Certified Nomad driver",
    "Premier Terraform provider",
    "Rocket ✔",
    "Rocket ☑",
    "Rocket ✅",
    "Rocket ⭐⭐⭐",
    "Rocket 🛡",
    "Rocket √",
    "Ⓥ Rocket",
    "🅅🄴🅁🄸🄵🄸🄴🄳 Rocket",
    "Rocket\u200everified",
    "Rocket \u202edeifirev",
    "\u2066Rocket\u2069",
    "Rocket \U000e0001",
    "Rocket \ue000",  # private-use character of a custom font
    "Rocket (V\u200derified)",  # joiner
    "Rocket (V\u0332erified)",  # combining low line
    "Rocket (V\U000e0100erified)",  # variation selector
    "Rocket 'Verified'",
    "Rocket \u2015 Verified",  # horizontal bar
    "Rocket \u2010 Verified",  # hyphen
    "Rocket \u2212 Verified",  # minus sign
    "Rocket \u2e3a Verified",  # two-em dash
    "Rocket “Verified”",
    'Rocket "Verified"',
    "Rocket ‘Verified’",
    "Rocket » Verified",
    "Rocket 「Verified」",
    "Rocket 【Verified】",
    "Rocket * Verified",
    "Rocket ~ Verified",
    "Rocket = Verified",
    "Rocket → Verified",
    "Rocket \u2219 Verified",  # bullet operator
    "Rocket • Verified",
    "Rocket; Verified",
    "Rocket ¦ Verified",
    "Rocket (\u3164Verified)",  # Hangul filler
    "Rocket \uffa0",  # half-width Hangul filler
    "Rocket \u115f\u1160",  # Hangul fillers of syllables
)
ACCEPTED_NAMES = (
    "Rocket",
    "Verified Permissions",
    "Acme™ Cloud",
    "Rocket®",
    "C++ tools",
    "C# and F#",
    "Community Edition",
    "terraform-provider-rocket",
    "Nomad Pipeline",
    "Vault Secrets Sync",
    "Partner Center",
    "Premier Cloud",
    "Trusted Computing",
    "№1 Cloud",
    "Café du Nord",
    "日本語プロバイダ",
    "Ελληνικά",
    "ب پرتال",
    "क्षेत्र",
    "R2-D2",
    "Moody's Trusted Cloud",
    "Verified Permissions, Inc.",
    "Dealers' Trusted Cloud",
    "Rocket+",
    "AT&T 한국",
)
HOSTILE_NAMES = (
    "</title><script>alert(1)</script>",
    '"><text x="1">Verified</text>',
    "]]>&xxe;",
    "&#10003; Verified",
    "{{ 7*7 }}",
    "Rocket\u0000\u0008",
    "\ud800",
    "![x](javascript:alert(1))",
    "`id`",
    '"]',
    "W" * 300,
    "\u202e" * 40,
    "\n\n",
    "",
)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", IMITATIONS)
def test_name_that_imitates_a_badge_is_refused(name: str) -> None:
    assert is_badge_imitation(name)
    assert explain_name_refusal(name) != ""
    form = IntegrationForm(PROGRAMS["nomad"], PROGRAMS["nomad"].editions[-1], data={"name": name, "description": "x"})
    assert list(form.errors.get("name", [])) != []


@pytest.mark.parametrize("name", ACCEPTED_NAMES)
def test_ordinary_name_is_accepted(name: str) -> None:
    assert not is_badge_imitation(name)
    form = IntegrationForm(PROGRAMS["nomad"], PROGRAMS["nomad"].editions[-1], data={"name": name})
    assert "name" not in form.errors
    assert strip_decoration(name) != "Unnamed"


def test_refusal_explains_what_to_do() -> None:
    assert explain_name_refusal("HashiCorp Verified") == BADGE_REFUSAL


@pytest.mark.parametrize("style", rendering.RENDERERS_BY_STYLE)
@pytest.mark.parametrize("name", [*IMITATIONS, *HOSTILE_NAMES])
def test_badge_text_does_not_depend_on_the_name(name: str, style: str) -> None:
    status = build_status(
        integration=strip_decoration(name),
        partner=strip_decoration(name),
        tier="",
        status_label="Suspended",
        listing_status="suspended",
    )
    svg = rendering.RENDERERS_BY_STYLE[style](status, date(2026, 4, 14))
    root = ET.fromstring(svg)
    usual = ET.fromstring(rendering.RENDERERS_BY_STYLE[style](build_status(), date(2026, 4, 14)))
    assert [each.tag for each in root.iter()] == [each.tag for each in usual.iter()]
    assert [each.text for each in root.iter(f"{SVG}text")][-1] == "Suspended"
    assert (rendering.GOOD_COLOR in svg, rendering.TICK_PATH in svg) == (False, False)
    assert not any(sign in svg for sign in "✓✔☑✅⭐🛡√\u202e\u2066\u200e")
    if style == "flat":
        assert [each.text for each in root.iter(f"{SVG}text")] == ["Nomad", "Suspended"]


@pytest.mark.parametrize("name", [*IMITATIONS, *HOSTILE_NAMES])
def test_data_and_statement_have_names_only_in_name_fields(name: str) -> None:
    status = build_status(integration=strip_decoration(name), partner=strip_decoration(name))
    claims = build_claims(status, "https://portal.example", SINCE)
    usual = build_claims(build_status(), "https://portal.example", SINCE)
    assert {key for key in claims if claims[key] != usual[key]} <= {"integration", "partner"}
    full = payloads.build_full_payload(status)
    assert {key for key in full if full[key] != payloads.build_full_payload(build_status())[key]} <= {
        "integration",
        "partner",
    }
    assert payloads.build_shields_payload(status) == payloads.build_shields_payload(build_status())
    assert json.loads(json.dumps(full)) == full
    assert signing_keys.encode_base64url(json.dumps(claims).encode())


@pytest.mark.parametrize("style", rendering.RENDERERS_BY_STYLE)
def test_snippets_contain_no_user_input(style: str) -> None:
    status = build_status(integration='"><script>', partner="](javascript:x)")
    assert embed_codes.build_embed_codes(status, style) == embed_codes.build_embed_codes(build_status(), style)


def test_imported_names_are_shown_without_symbols(integration_at: Any, client: Client) -> None:
    row = integration_at("support")
    Integration.objects.filter(pk=row.pk).update(name="✓ Verified \u202eRocket")
    Partner.objects.filter(pk=row.partner_id).update(name="⭐ <b>Acme</b>")
    full = client.get(f"/directory/{row.uuid}/badge.json").json()
    assert (full["integration"], full["partner"]) == ("Verified Rocket", "<b>Acme</b>")
    assert "<b>" not in client.get(f"/directory/{row.uuid}/badge.svg?style=large").text
    assert "<b>" not in client.get(f"/directory/{row.uuid}/badge/").text
