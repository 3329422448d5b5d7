"""Do the parts of the gate hold what they promise? Cleaning, names, templates, choices."""

import pytest

from verification.licenses.coverage import read
from verification.licenses.holders import is_holder_list
from verification.licenses.normalization import decode, tidy
from verification.licenses.notices import Reader
from verification.licenses.templates import read as text_of
from verification.licenses.templates import templates
from verification.licenses.variants import FORMS


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
def test_letters(raw, letters):
    assert tidy(decode(raw)).letters == letters


def test_place_of_letters_in_the_cleaned_text():
    text = tidy('  "Ab c", d')
    assert [text.clean[text.place(n)] for n in range(4)] == ["A", "b", "c", "d"]
    assert text.between(1, 3) == "b c"
    assert text.gap(3, 4) == '", d'


@pytest.mark.parametrize(
    "name",
    ["Jane Doe", "Acme Labs, Inc.", "npm, Inc. and contributors", "2014-present Bo <b@li.io>", "janedoe", "José Ñ"],
)
def test_name(name):
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
    ],
)
def test_no_name(words):
    assert not is_holder_list(words)


@pytest.mark.parametrize("id", sorted(FORMS))
def test_published_text_is_its_own_template(id):
    text = tidy(text_of(f"{id}.txt"))
    assert read(text, (id,)).texts == (id,)


@pytest.mark.parametrize("id", sorted(FORMS))
def test_template_leaves_the_text_where_a_letter_differs(id):
    letters = tidy(text_of(f"{id}.txt")).letters
    template = templates(id)[0]
    (whole,) = [found for found in template.find(letters) if found.whole]
    middle = (whole.start + 3 * whole.end) // 4
    (changed,) = template.find(f"{letters[:middle]}%{letters[middle:]}")
    assert (changed.whole, changed.end <= middle) == (False, True)


@pytest.mark.parametrize(
    ("beside", "left"),
    [
        ("The MIT License (MIT)", ""),
        ("Copyright (c) 2020 Jane Doe. All rights reserved.", ""),
        ("Based on Acme Labs, copyright Jane Doe", ""),
        ("This software is released under the MIT license:", ""),
        ("acme is licensed under the terms of the MIT License, see LICENSE", ""),
        ("Apache License", "Apache License"),
        ("Copyright (c) 2020 Jane Doe, students only", "Copyright (c) 2020 Jane Doe, students only"),
        ("never licensed under the MIT license", "never licensed under the MIT license"),
    ],
)
def test_words_next_to_a_license(beside, left):
    reader = Reader(("MIT",))
    reader.first = False
    assert reader.find_unexplained(beside) == left


@pytest.mark.parametrize(
    ("sentence", "choice"),
    [
        ("Licensed under either of Apache License, Version 2.0 or MIT license at your option.", ("Apache-2.0", "MIT")),
        ("SPDX-License-Identifier: MIT OR GPL-2.0", ("MIT", "GPL-2.0")),
        ("Dual licensed under the MIT or GPLv3 licenses", ("MIT", "GPL-3.0")),
        ("Licensed under the MIT and GPLv3 licenses", ()),
    ],
)
def test_choice(sentence, choice):
    reader = Reader(("MIT",))
    reader.find_unexplained(sentence)
    assert reader.choice == choice
