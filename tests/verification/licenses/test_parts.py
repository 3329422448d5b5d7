"""Tests of the parts of the license check: cleaning, names, templates and choices."""

import pytest

from tests.verification.licenses.honest import get_license_body
from verification.licenses.attributions import is_attribution
from verification.licenses.coverage import analyze_coverage
from verification.licenses.holders import is_holder_list
from verification.licenses.normalization import FoldedText, decode, tidy
from verification.licenses.notices import NoticeReader
from verification.licenses.templates import VARIANTS, load_templates, read_text


@pytest.mark.parametrize(
    ("raw", "letters"),
    [
        (b"\xef\xbb\xbfMIT  License\r\n", "mitlicense"),
        ("MIT".encode("utf-16"), "mit"),
        (b"Jos\xe9", "josé"),
        ("“AS IS”—it’s".encode(), "asisits"),
        (b"> # * Permission", "permission"),
        (b"<p>Per<b>mission</b></p>", "permission"),
        (b"&lt;x@y.org&gt;", "xyorg"),
        (b'<p title="no">yes</p>', "ptitlenoyes"),
        ("a\u0336".encode(), "a\ua5000336"),
        (b"a\x08b", "a\ua5000008b"),
        (b"LICENCE", "license"),
    ],
)
def test_letters_of_a_file_are_normalized(raw, letters):
    assert tidy(decode(raw)).letters == letters


def test_unfinished_badges_are_read_once():
    # A pattern that searched for the end of each badge would take a minute.
    assert tidy("[![license" * 18_000).letters == "license" * 18_000


def test_letters_are_located_in_the_cleaned_text():
    text = tidy('  "Ab c", d')
    assert [text.clean[text.find_place(n)] for n in range(4)] == ["A", "b", "c", "d"]
    assert text.get_text(1, 3) == "b c"
    assert text.get_gap(3, 4) == '", d'


def test_letters_that_lowercase_makes_longer_keep_their_places():
    # The lowercase form of a dotted capital I has two characters.
    text = "This product includes İİ software developed by Acme Labs. All İ rights reserved."
    words = FoldedText(text)
    assert [words.folded[start:].split(" ", 1)[0] for start in words.offsets[:-1]] == words.folded.split(" ")
    assert [text[start:end].lower() for start, end in zip(words.starts, words.ends, strict=True)] == (
        words.folded.split(" ")
    )
    assert is_attribution("This product includes software developed by İstanbul Labs.")


@pytest.mark.parametrize(
    "name",
    ["Jane Doe", "Acme Labs, Inc.", "npm, Inc. and contributors", "2014-present Bo <b@li.io>", "janedoe", "José Ñ"],
)
def test_holder_names_are_recognized(name):
    assert is_holder_list(name)


@pytest.mark.parametrize(
    "words",
    [
        "Acme only",
        "Not For Sale",
        "no commercial use",
        "gratis toys Acme",
        "use",
        "Evaluation",
        "Acme gratis",
        "CC-BY-ND",
        "CC BY-NC-SA",
        "Acme ND, all rights reserved for students",
    ],
)
def test_other_words_are_not_holder_names(words):
    assert not is_holder_list(words)


@pytest.mark.parametrize("id", sorted(VARIANTS.texts))
def test_published_text_is_its_own_template(id):
    text = tidy(read_text(f"{id}.txt"))
    assert analyze_coverage(text, (id,)).texts == (id,)


@pytest.mark.parametrize("id", sorted(VARIANTS.texts))
def test_template_matches_only_up_to_a_different_letter(id):
    letters = tidy(read_text(f"{id}.txt")).letters
    template = load_templates(id)[0]
    (whole,) = [match for match in template.find_matches(letters) if match.is_whole]
    middle = (whole.start + 3 * whole.end) // 4
    (partial_match,) = template.find_matches(f"{letters[:middle]}%{letters[middle:]}")
    assert (partial_match.is_whole, partial_match.end <= middle) == (False, True)


@pytest.mark.parametrize(
    ("beside", "remainder"),
    [
        ("The MIT License (MIT)", ""),
        ("Copyright (c) 2020 Jane Doe. All rights reserved.", ""),
        (f"Copyright (c) 2020{'.' * 60} Jane Doe", ""),  # a pattern that backtracks would not end
        ("Based on Acme Labs, copyright Jane Doe", ""),
        ("This software is released under the MIT license:", ""),
        ("This project is made available under the MIT License.", ""),
        ("The source code is distributed under the terms of the MIT license", ""),
        ("acme is released under the Expat License", ""),
        ("acme is licensed under the terms of the MIT License, see LICENSE", ""),
        ("Droits d'auteur © 2020 Jane Doe. Tous droits réservés.", ""),
        ("Авторские права (c) 2020 Jane Doe. Все права защищены.", ""),
        ("版權所有 © 2020 Jane Doe", ""),
        ("Copyright (c) 2020 Acme Oy. Kaikki oikeudet pidätetään.", ""),
        ("Derechos de autor 2020 Jane Doe", "Derechos de autor 2020 Jane Doe"),
        ("Copyright (c) 2020 Acme Oy. Kaikki oikeudet", "Copyright (c) 2020 Acme Oy. Kaikki oikeudet"),
        ("Apache License", "Apache License"),
        ("Copyright (c) 2020 Jane Doe, students only", "Copyright (c) 2020 Jane Doe, students only"),
        ("never licensed under the MIT license", "never licensed under the MIT license"),
    ],
)
def test_unexplained_words_next_to_a_license_are_found(beside, remainder):
    reader = NoticeReader(("MIT",))
    reader.first = False
    assert reader.find_unexplained(tidy(beside).clean) == remainder


def test_endless_word_is_unexplained():
    # With a search for each of its letters in each dictionary, it would take ten seconds.
    reader = NoticeReader(())
    assert reader.find_unexplained(f"{'=' * 2000}\nThe rocket {'a' * 190_000}") == "a" * 190_000


@pytest.mark.parametrize(
    ("id", "title"),
    [
        ("BSD-2-Clause", "The 2-Clause BSD License"),
        ("BSD-2-Clause", 'BSD 2-Clause "Simplified" License'),
        ("BSD-2-Clause", "FreeBSD License"),
        ("BSD-3-Clause", 'BSD 3-Clause\n"New" or\n"Revised" License'),
        ("BSD-3-Clause", "Three-Clause BSD License"),
        ("MIT", "Expat License"),
        ("MIT", "X11/MIT License"),
        ("MPL-2.0", "Mozilla Public License 2.0 (MPL-2.0)"),
        ("Apache-2.0", "Apache License\nVersion 2.0, January 2004\nhttp://www.apache.org/licenses/"),
    ],
)
def test_known_title_is_explained_beside_its_own_text_only(id, title):
    other = "MIT" if id != "MIT" else "BSD-3-Clause"
    assert [NoticeReader((known_id,)).find_unexplained(title) == "" for known_id in (id, other)] == [True, False]


@pytest.mark.parametrize("id", ["BSD-2-Clause", "BSD-3-Clause", "MIT"])
@pytest.mark.parametrize("form", ["SPDX-License-Identifier: {id}\n\n{text}", "{text}\n\nSPDX-License-Identifier: {id}"])
def test_matching_spdx_tag_passes_before_and_after_the_text(id, form):
    file = form.format(id=id, text=f"Copyright (c) 2021 Jane Doe\n\n{get_license_body(id)}")
    reading = analyze_coverage(tidy(file), (id,))
    assert (reading.texts, reading.unexplained_lines) == ((id,), ())


def test_joiner_of_indic_letters_neither_hides_nor_splits_a_word():
    assert is_holder_list(tidy("ईश्\u200dवरी शर्मा").clean)
    assert not is_holder_list(tidy("निषिद्\u200dध शर्मा").clean)


@pytest.mark.parametrize(
    ("sentence", "choice"),
    [
        ("Licensed under either of Apache License, Version 2.0 or MIT license at your option.", ("Apache-2.0", "MIT")),
        ("SPDX-License-Identifier: MIT OR GPL-2.0", ("MIT", "GPL-2.0")),
        ("Dual licensed under the MIT or GPLv3 licenses", ("MIT", "GPL-3.0")),
        ("Licensed under the MIT and GPLv3 licenses", ()),
    ],
)
def test_choice_of_licenses_is_read(sentence, choice):
    reader = NoticeReader(("MIT",))
    reader.find_unexplained(sentence)
    assert reader.choice == choice
