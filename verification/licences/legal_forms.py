"""Legal forms of organizations, and where one stands in a name: "Acme GmbH", "株式会社例"."""

from functools import cache

from verification.licences.lexicon import fold, is_brand, lines, script_of

AFFILIATED = "\x02"  # stands for "and/or its affiliates", which only an organization has
MAX_FORM_WORDS = 6


@cache
def legal_forms() -> tuple[dict[tuple[str, ...], bool], tuple[str, ...], tuple[str, ...]]:
    """(forms behind a name: whether only as written, forms before a name, forms of scripts without spaces)."""
    behind = {tuple(line.split()): line != line.casefold() for line in lines("legal_forms")}
    before = lines("legal_prefixes")
    return (
        behind,
        tuple(before),
        tuple(line for line in before if script_of(line[0]) in ("HAN", "HANGUL") or line[0] in "(㈜"),
    )


def split_legal_form(tokens: list[str]) -> list[str] | None:
    """The words before (or behind) the legal form; None where there is none."""
    bare = [token.replace(".", "").strip(",;:'\"") for token in tokens]
    if bare[-1:] == [AFFILIATED]:
        return split_legal_form(tokens[:-1]) or tokens[:-1]
    behind, before, joined = legal_forms()
    for size in range(min(6, len(bare)), 0, -1):
        ending = tuple(bare[-size:])
        if ending in behind or behind.get(tuple(word.casefold() for word in ending)) is False:
            rest = tokens[:-size]
            if is_brand(" ".join(rest)):
                return rest
            return (split_legal_form(rest) or rest) if rest and size < 3 and len(rest) > 1 else rest
    for form in before:
        size = len(form.split())
        if " ".join(tokens[:size]) == form or (form.islower() and fold(" ".join(tokens[:size])) == fold(form)):
            return tokens[size:]
        if " ".join(bare[-size:]) == form.replace(".", "") and not form[0].isascii() and form[0].casefold() == form[0]:
            return tokens[:-size]
    return split_joined_form(" ".join(tokens), joined)


def split_joined_form(text: str, forms: tuple[str, ...]) -> list[str] | None:
    """The same where the form is written without a space: "株式会社例", "例有限公司"."""
    for form in sorted(forms, key=len, reverse=True):
        for rest in (text.removeprefix(form), text.removesuffix(form)):
            if rest != text:
                return rest.split()
    return None
