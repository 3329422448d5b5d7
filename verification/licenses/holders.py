"""Grammar of copyright holders: persons, organizations, groups, and their addresses.

docs/reference/license-grammar.md holds the grammar in ABNF; the functions carry the names of its rules. Every part of
a holder list has to match a rule. What matches none is for a person to read, so nothing here lists what is forbidden
except the words of terms, which no name can contain.
"""

import re
from calendar import month_name
from itertools import dropwhile, pairwise

from verification.licenses.addresses import is_address, is_handle
from verification.licenses.dictionaries import fold, load_common_english_words
from verification.licenses.institutions import (
    is_acronym,
    is_body_of_name,
    is_firm_name,
    is_free_of_terms,
    is_institution,
    is_named_by_noun,
    is_of_one_script,
)
from verification.licenses.legal_forms import AFFILIATES_MARK, split_legal_form
from verification.licenses.lexicon import (
    TRIM,
    Kind,
    get_kind,
    get_script,
    has_capitals,
    is_brand,
    is_noun_like,
    is_phrase_in_one_word,
    load_lines,
    load_words,
)
from verification.licenses.persons import MAX_PERSON_WORDS, NAME_KINDS, PLAIN_SCRIPTS, is_person, strip_nicknames
from verification.licenses.projects import is_emblem_name, is_project_name
from verification.licenses.restrictions import has_restriction, is_territory

MAX_LENGTH = 400  # characters of a holder list
MAX_ORGANIZATION_WORDS = 12
MAX_CAPITALS = 6  # letters of a single word in capitals that counts as an acronym
YEAR = r"(?:19|20)\d\d(?!\w)"
YEARS = re.compile(
    rf"(?:\bsince\s+)?(?<![\w.-]){YEAR}(?:\s*(?:[-,/&~+]|\.\.++|and\b|to\b)+\s*(?:{YEAR}|\d\d\b|present\b|now\b|today\b|current\b|onwards?\b|ongoing\b))*"
    r"(?:\s*[-+](?=\s|,|$))?",
    re.I,
)
MONTH = "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in month_name[1:])
DATE = re.compile(rf"^\W*(?:\d{{1,2}}\s+)?(?:{MONTH})\.?\s+(?:\d{{1,2}},?\s+)?(?={YEAR})", re.I)
ENCLOSED_ADDRESS = re.compile(r"[<(\[]\s*(?:e-?mail:|mailto:|twitter:|github:)?\s*([^\s<>()\[\]]+)\s*[>)\]]")
OPEN_ADDRESS = re.compile(r"(?<!\S)((?:https?://|www\.)\S+?|[^\s<>(),;]+@[^\s<>(),;]+?|@[\w-]+)[.,;:]*(?=\s|$)")
ADDRESS_PART = re.compile(r"(?<![\w-])(?=[a-z0-9-]{6})[a-z0-9]+(?:-[a-z0-9]+)*(?![\w-])")


def build_alternatives(list_name: str) -> str:
    """Return a pattern of the phrases of a list. Phrases in scripts without capitals can touch other letters."""
    patterns = []
    for phrase in sorted(load_lines(list_name), key=len, reverse=True):
        edge = r"\b" if has_capitals(phrase.split()[0]) else ""
        patterns.append(edge + r"\s+".join(map(re.escape, phrase.split())) + edge)
    return "|".join(patterns)


RIGHTS_FORMULAS = build_alternatives("rights_reserved")
RIGHTS = re.compile(RIGHTS_FORMULAS, re.I)
JOINT = r"(?:and\s*/\s*or|and|or|&|\+|with|und|et|y|e|og|och)"
OTHERS = r"(?:(?:its|their|his|her|the|many|other|various|all|any|individual|respective|additional|project)\s+){0,3}"
AFFILIATES = re.compile(
    rf"[,\s]+{JOINT}\s+{OTHERS}(?:affiliates?|affiliated\s+companies|subsidiaries|subsidiary|group\s+companies)\b"
    rf"(?:\s+{JOINT}\s+(?:affiliates|subsidiaries))?|\s+or\s+an?\s+\w+\s+affiliate(?:\s+company)?\b",
    re.I,
)
PARTNERS = re.compile(
    rf"(?:(?:^|[,(\s]+)(?:{JOINT}|with\s+contributions\s+(?:from|by))\s+{OTHERS}|^{OTHERS}|(?<=[,;])\s*{OTHERS})"
    r"(?:contributors?(?:\(s\))?|authors?|others|(?<=other )people|developers|maintainers|collaborators|committers"
    r"|community(?:\s+contributors)?|(?:core\s+)?team)\b(?=\s*(?:[.,;()]|and\b|$))|the\s+original\s+authors?\s+or\s+authors\b|[,\s]+et\s*\.?\s*al\b\.?|[,\s]+(?-i:u\.\s?a\.)",
    re.I,
)
SEPARATOR = re.compile(
    r"[,;|()\[\]<>*`]|\s[-/:]+(?=\s|$)|:\s|(?<=[^\W\d_]{3})\.\s+(?=[^\Wa-z])|\s(?:a\.?k\.?a\.?|d/?b/?a)\s", re.I
)
AND = "|".join(map(re.escape, " ".join(load_lines("conjunctions")).split()))
CONJUNCTION = re.compile(rf"\s+(?:{AND}|(?i:and|or|und|et|y)|&|\+)\s+|^(?i:and|&|by|und|et)\s+|\s+(?i:and|&)$")
COMPOUND = re.compile(rf"\b(?:{'|'.join(load_lines('compounds'))})\b", re.I)
FOLLOWING = re.compile(r"\bby\s+the\s+following\s+(?:holders|people)\s*:", re.I)
AT_SIGN = re.compile(r"\s?[\[({]at[\])}]\s?", re.I)
SHORT_FORMS = {"(주)": "주식회사", "(株)": "株式会社", "(有)": "有限会社"}
PART_OF = re.compile(
    r"^(?:an?|part of|a part of)\s+(?:division|subsidiary|unit|brand|part|department|member)\s+of\s+(?:the\s+)?", re.I
)
IN_BRACKETS = re.compile(
    r"\((haftungsbeschr[äa]nkt|p|[a-z\u00c0-\u017f]+|(?<=[^\x00-\x7f]\()[^\W\d_]+)\)"
    r"(?=\s*(?:$|[,.]|co\b|ltd|limited|private|pvt|pte|pty|inc|llc|gmbh|ag\b|technolog|software|[^\x00-\x7f]))",
    re.I,
)  # a part of a company's name: "Sample (Thailand) Ltd"
CONTRIBUTORS_TO = re.compile(
    r"(?:(?:all\s+)?(?:the\s+)?)(?:contributors|authors|developers|maintainers)\s+(?:to|of)\s+(?:the\s+)?", re.I
)
CREDITS = re.compile(
    r"[(<\[,]?\s*(?:(?:please\s+)?see|cf\.|listed\s+in|as\s+listed\s+in)\s+(?:the\s+)?(?:accompanying\s+)?"
    r"(?:authors|contributors|credits|maintainers|(?:git|commit)\s+(?:history|log))(?:\.(?:md|txt|rst))?\b(?:\s+file)?"
    r"(?:\s+for\s+(?:more\s+)?(?:details|information|(?:a|the)\s+(?:full\s+)?list(?:\s+of\s+(?:authors|contributors|names))?))?\s*[)>\]]?"
    r"|\((?:(?:original|current|lead|main)\s+)?(?:author|creator|developer|maintainer)s?\)",
    re.I,
)


def is_holder_list(text: str) -> bool:
    """Return whether the text consists only of holders, years, addresses, and "All rights reserved"."""
    return are_holders(parse_holders(text))


def are_holders(pieces: tuple[str, ...] | None) -> bool:
    """Return whether each piece of a list is a holder, with at most one single word among them."""
    if pieces is None or (pieces and is_territory(pieces[0])):
        return False
    # "Internet Systems Consortium (ISC)" is one holder, although its acronym is in brackets.
    pieces = tuple(piece for before, piece in pairwise(("", *pieces)) if not is_acronym(piece, before))
    lone = [piece for piece in pieces if is_lone_name(piece)]
    if len(pieces) > 1 and any(piece[:2].isupper() for piece in lone):
        return False  # next to a holder, it can be a code of terms: "NFR", "BY-NC-SA", "GPLv3"
    is_name = len(lone) == 2 and any(get_kind(piece) is Kind.NAME for piece in lone)  # "Yamashita, Yuu"
    is_name = is_name or are_surnames(pieces)
    return (len(lone) <= 1 or is_name) and all(piece in lone or is_holder(piece) for piece in pieces)


def are_surnames(pieces: tuple[str, ...]) -> bool:
    """Return whether these are three or more names of one word, at least one of them listed: "Doe, Roe and Poe"."""
    kinds = [get_kind(piece) for piece in pieces]
    listed_count = kinds.count(Kind.NAME) + kinds.count(Kind.NAME_OR_WORD)
    is_titled = all(piece[:1].isupper() and piece[1:].islower() for piece in pieces if has_capitals(piece))
    plain = {fold(piece) for piece, word_kind in zip(pieces, kinds, strict=True) if word_kind is Kind.WORD}
    if len(plain) > 1 or not plain.isdisjoint(load_common_english_words()):
        return False
    return len(pieces) > 2 and listed_count > 0 and is_titled and set(kinds) <= NAME_KINDS | {Kind.UNKNOWN, Kind.WORD}


def parse_holders(text: str) -> tuple[str, ...] | None:
    """Return the holders in a list. Return None for an invalid address, a too long text, or a restriction."""
    # The patterns below try each part of the text, so its length bounds their time.
    if len(text) > MAX_LENGTH or has_restriction(text):
        return None
    text = text.strip("*_` ")
    text = strip_nicknames(CREDITS.sub(" ; ", DATE.sub("", text)))
    for short, form in SHORT_FORMS.items():
        text = text.replace(short, f" {form} ")
    text = IN_BRACKETS.sub(r" \1 ", FOLLOWING.sub(" ; ", AT_SIGN.sub("@", text)))
    for pattern in (ENCLOSED_ADDRESS, OPEN_ADDRESS):
        # Brackets also enclose other words, which remain for the rules below.
        addresses = [match for match in pattern.finditer(text) if re.search(r"[@/]|\w\.\w", match[1])]
        if not all(is_address(replace_repeated_parts(match[1], text[: match.start()])) for match in addresses):
            return None
        text = "".join(replace_matches(text, addresses))
    text = YEARS.sub(" ; ", RIGHTS.sub(" ; ", text))
    text = PARTNERS.sub(" ; ", AFFILIATES.sub(f" {AFFILIATES_MARK} ; ", text))
    return tuple(split_holders(join_legal_forms(SEPARATOR.split(text))))


def replace_repeated_parts(address: str, before: str) -> str:
    """Return the address with "acme" in place of each part that repeats the words before it."""
    spelled_words = re.findall(r"[a-z0-9]+", fold(before))
    spellings = ["".join(spelled_words[start:]) for start in range(len(spelled_words))]
    return ADDRESS_PART.sub(
        lambda part: "acme" if any(s.startswith(part[0].replace("-", "")) for s in spellings) else part[0], address
    )


def replace_matches(text: str, matches: list[re.Match[str]]) -> list[str]:
    """Return the text with the matches replaced by separators."""
    parts = []
    place = 0
    for match in matches:
        parts += [text[place : match.start()], " ; "]
        place = match.end()
    return [*parts, text[place:]]


def join_legal_forms(parts: list[str]) -> list[str]:
    """Return the parts between separators, with legal forms joined to the name before: "Acme, Inc."."""
    joined_parts: list[str] = []
    for part in filter(None, (part.strip(TRIM) for part in parts)):
        form = split_legal_form(part.split())
        is_form = form is not None and (not form or form == [AFFILIATES_MARK])
        if joined_parts and is_form and not is_brand(part):
            joined_parts[-1] += f" {part}"
        else:
            joined_parts.append(part)
    return joined_parts


def split_holders(parts: list[str]) -> list[str]:
    """Return the parts, split at "and" unless the whole is one name: "Johnson and Johnson Inc."."""
    holders: list[str] = []
    for part in parts:
        part = PART_OF.sub("", part)
        whole = is_brand(part) or is_organization(part) or is_group(part) or is_emblem_name(part.split())
        holders += [part] if whole else [one for each in CONJUNCTION.split(part) if each and (one := each.strip(TRIM))]
    return holders


def is_holder(text: str) -> bool:
    """Return whether the text is one holder."""
    return is_brand(text) or is_person(text) or is_group(text) or is_organization(text) or is_emblem_name(text.split())


def is_lone_name(text: str) -> bool:
    """Return whether a single word can be a proper name, a brand, an acronym, or a user name."""
    text = text.removeprefix("the ").removeprefix("The ").rstrip("!")
    if " " in text or is_brand(text):
        return False
    if is_handle(text):
        return True
    word_kind = get_kind(text.rstrip("."))
    if word_kind is Kind.UNKNOWN and is_phrase_in_one_word(text):
        return False
    if get_script(text) in PLAIN_SCRIPTS:
        return word_kind in NAME_KINDS or word_kind is Kind.UNKNOWN
    if not has_capitals(text) or (text.isupper() and len(text) > MAX_CAPITALS):
        return False
    if word_kind in (Kind.WORD, Kind.NEUTRAL, Kind.NAME_OR_WORD):
        return is_noun_like(text)
    return word_kind in (Kind.UNKNOWN, Kind.NAME) or (word_kind is Kind.INITIALS and len(text) > 1)


def is_group(text: str) -> bool:
    """Return whether this is "The X Authors", "X contributors", or "the X project developers"."""
    if match := CONTRIBUTORS_TO.match(text):
        return is_project_name(
            [token for token in text[match.end() :].split() if fold(token) not in load_words("groups")]
        )
    tokens = fold(text).strip(TRIM).split()
    originals = text.strip(TRIM).split()
    if len(tokens) == 2 and tokens[0] == "team" and (get_kind(tokens[1]) is Kind.UNKNOWN or is_handle(originals[1])):
        return True
    has_article = tokens[:1] == ["the"]
    if has_article:
        tokens = tokens[1:]
        originals = originals[1:]
    end = len(tokens)
    while end and tokens[end - 1].strip(TRIM) in load_words("groups") | load_words("group_adjectives"):
        end -= 1
    if end == len(tokens) or tokens[-1].strip(TRIM) not in load_words("groups"):
        return False
    body = originals[:end]
    return len(body) <= MAX_PERSON_WORDS and (
        not body
        or is_project_name(body, max_unknown=2)
        or is_organization(" ".join(body))
        or (len(body) == 1 and get_kind(body[0]) is Kind.WORD and is_noun_like(re.sub("(?:er|ing)$", "", body[0])))
    )


def is_organization(text: str) -> bool:
    """Return whether this is a name with a legal form, or with a noun that only organizations have."""
    tokens = [token.strip('"') for token in COMPOUND.sub("National", text).split()]
    if (
        len(tokens) == 2
        and is_brand(tokens[0])
        and tokens[1].isupper()
        and get_kind(tokens[1]) in (Kind.INITIALS, Kind.UNKNOWN)
    ):
        return True  # "MIT CSAIL"
    if not tokens or len(tokens) > MAX_ORGANIZATION_WORDS + 4:
        return False
    body = split_legal_form(tokens)
    if body is not None:
        body = list(dropwhile(lambda token: fold(token) in load_words("connectors"), body))  # "Association for …"
        is_short = len(body) <= 2 or not {"HAN", "HANGUL", "MIXED"}.intersection(map(get_script, tokens))
        is_name = is_brand(" ".join(body)) or (bool(body) and is_body_of_name(body, max_words=len(body)))
        is_name = (
            is_name
            or is_firm_name(body, is_closed=fold(tokens[-1]) != "limited")
            or (is_free_of_terms(body) and is_of_one_script(body))
        )
        return is_name and is_short and len(body) <= MAX_ORGANIZATION_WORDS
    if fold(tokens[0]) == "the":
        tokens = tokens[1:]
    is_firm = len(tokens) > 1 and fold(tokens[-1]) in load_words("firm_nouns") and is_firm_name(tokens)
    return len(tokens) <= MAX_ORGANIZATION_WORDS and (is_firm or is_institution(tokens) or is_named_by_noun(tokens))
