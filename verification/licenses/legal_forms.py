"""Legal forms of organizations, and their position in a name: "Acme GmbH", "株式会社例"."""

from functools import cache

from verification.licenses.dictionaries import fold
from verification.licenses.lexicon import get_script, is_brand, load_lines

AFFILIATES_MARK = "\x02"  # replaces "and/or its affiliates", which only organizations have
MAX_FORM_WORDS = 6
Words = tuple[str, ...]


@cache
def load_trailing_forms() -> dict[Words, bool]:
    """Return the forms that end a name, and whether each is case-sensitive."""
    return {tuple(line.split()): line != line.casefold() for line in load_lines("legal_forms")}


@cache
def load_leading_forms() -> tuple[dict[Words, bool], frozenset[Words]]:
    """Return the forms that begin a name, and whether each is case-sensitive; and those that can also end a name."""
    lines = load_lines("legal_prefixes")
    before = {tuple((fold(line) if line.islower() else line).split()): not line.islower() for line in lines}
    also_behind = (line for line in lines if line[0] == line[0].casefold() and not line.split()[0].isascii())
    return before, frozenset(tuple(line.split()) for line in also_behind)


@cache
def list_unspaced_forms() -> tuple[str, ...]:
    """Return the forms of scripts without spaces, the longest first."""
    forms = (line for line in load_lines("legal_prefixes") if get_script(line) in ("HAN", "HANGUL"))
    return tuple(sorted(forms, key=len, reverse=True))


def split_legal_form(tokens: list[str]) -> list[str] | None:
    """Return the words before (or after) the legal form, or None without a legal form."""
    bare = [token.replace(".", "").strip(",;:'\"") for token in tokens]
    # Only organizations have affiliates, so the mark counts like a legal form.
    if bare[-1:] == [AFFILIATES_MARK]:
        return split_legal_form(tokens[:-1]) or tokens[:-1]
    before, also_behind = load_leading_forms()
    folded_words = tuple(map(fold, tokens[:MAX_FORM_WORDS]))
    # The longest form first: "Co., Ltd." contains the form "Ltd.".
    for size in range(min(MAX_FORM_WORDS, len(bare)), 0, -1):
        ending = tuple(bare[-size:])
        folded_ending = tuple(word.casefold() for word in ending)
        if ending in load_trailing_forms() or load_trailing_forms().get(folded_ending) is False:
            return strip_other_forms(tokens[:-size], size)
        if before.get(tuple(tokens[:size])) or before.get(folded_words[:size]) is False:
            return tokens[size:]
        if tuple(tokens[-size:]) in also_behind:
            return tokens[:-size]
    return split_joined_form(" ".join(tokens))


def strip_other_forms(rest: list[str], size: int) -> list[str]:
    """Return the words before a form of `size` words, without another form: "Example Foundation, Inc."."""
    if size > 2 or len(rest) < 2 or is_brand(" ".join(rest)):
        return rest
    return split_legal_form(rest) or rest


def split_joined_form(text: str) -> list[str] | None:
    """Return the same for a form that is written without a space: "株式会社例", "例有限公司"."""
    if text.isascii():
        return None
    for form in list_unspaced_forms():
        for rest in (text.removeprefix(form), text.removesuffix(form)):
            if rest != text:
                return rest.split()
    return None
