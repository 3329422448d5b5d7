"""Tests of the license check on the corpora of honest and adversarial files."""

import pytest

from tests.verification.licenses import adversarial, heads, heldout, honest
from verification.licenses.holders import is_holder_list
from verification.licenses.normalization import tidy
from verification.licenses.notices import is_project_title

MIN_ADVERSARIAL = 800
MIN_HONEST = 500
MIN_HEADS = 450


@pytest.mark.parametrize(
    ("corpus", "size"),
    [
        (adversarial.generate_samples, MIN_ADVERSARIAL),
        (heldout.generate_adversarial_samples, MIN_ADVERSARIAL),
        (honest.generate_samples, MIN_HONEST),
        (heldout.generate_honest_samples, MIN_HONEST),
        (heads.generate_adversarial_samples, MIN_HEADS),
        (heads.generate_honest_samples, MIN_HEADS),
    ],
)
def test_corpus_is_large(corpus, size):
    """Their verdicts are tested by the license suite of tests/conform."""
    assert len(list(corpus())) >= size


@pytest.mark.parametrize(
    "holder",
    [
        "Example Networks, Inc.",
        "株式会社例",
        "Łukasz Żółć <l@example.org>",
        "Oracle and/or its affiliates",
        "The FooBar Authors",
        "Apache Software Foundation",
        "MIT",
        "2019-present, Example GmbH & Co. KG. All rights reserved",
        "Jane Doe (https://github.com/janedoe)",
        "14 June 2012 Jane Doe (maintainer)",
        "since 2012 Per Lindqvist",
        "Li Wei (李伟)",
        "JANE HAGGERTY",
        "Gardener contributors",
        "Oscar Niemeyer",
        "Masarykova univerzita (http://masarykova-univerzita.org/)",
        "2013-22 KAIST",
        "Nordin, Lindgren och Håkansson",
        "Reserve Bank of Utopia",
        "Musterverein e. V.",
    ],
)
def test_holder_line_is_recognized(holder):
    assert is_holder_list(holder)


@pytest.mark.parametrize(
    "text",
    [
        "Single Seat",
        "Up To 10 Employees",
        "Evaluation Only",
        "Jane Doe Nur Privat",
        "Jane Doe <jane@example.com/eula>",
        "Jane Doe (https://example.com/commercial-terms)",
        "Acme @NotForResale",
        "V.e.g.a.n.s.O.n.l.y",
        "Jаne Doe",
        "North America",
        "Nurlehre e.V.",
        "Soloestudiantes S.A.",
        "16GB",
        "Q3 2026",
        "仅供学习",
        "비상업적 이용",
        "فقط للتقييم",
        "ห้ามขาย",
        "केवल मूल्यांकन",
        "Jane Doe NC",
        "Jane Doe TLP:RED",
        "Jane Doe Noi Bo",
        "Reserve Bank for Members",
        "Masarykova univerzita (http://masarykova-univerzita.org/interna)",
        "เฉพาะนักศึกษามหาวิทยาลัยตัวอย่าง",
        "Jane Doe <jane-doe-only@example.com>",
    ],
)
def test_other_line_is_not_a_holder_line(text):
    assert not is_holder_list(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Acme\u200b Inc.", "\u202eAcme", "Ac\u00admeInc Ltd", "🚫 GmbH", "★ Inc.", "ᴡᴇᴇᴋᴅᴀʏꜱ ᴏɴʟʏ", "Ɑcme Inc."),
        *("NotForSale2 Inc", "5Seats Inc", "Max10Users LLC", "30DayTrial Inc"),
        *("Google LLC [GPLv3]", "Google LLC; BY-NC-SA", "(NFR) Google LLC", "Cisco Systems, Inc. <LIMITED LICENSE>"),
        *("HashiCorp, Inc. (exp. 2026-12)", "Shouyou Riyou Kinshi", "Pereprodazha Zapreshchena"),
        *("Acme (https://legal.acme.com)", "Acme (https://rules.acme.com)", "Acme (https://github.com/acme/policy)"),
        "[Acme Inc.]: https://acme.com",
    ],
)
def test_hidden_characters_quantities_and_links_are_not_holders(text):
    assert not is_holder_list(tidy(text).clean)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Terraform Provider for Acme", True),
        ("terraform-provider-acme", True),
        ("Acme SDK for Go", True),
        ("Terraform Provider for Students", False),
        ("Terraform Provider for Universities", False),
        ("Evaluation Plugin", False),
        ("Single Seat", False),
        ("最多十人", False),
    ],
)
def test_project_title_is_recognized(line, expected):
    assert is_project_title(line) is expected
