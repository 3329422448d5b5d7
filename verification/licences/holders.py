"""Grammar of copyright holders: persons, organizations, groups, and the addresses beside them.

docs/reference/license-grammar.md holds the grammar in ABNF; the functions carry the names of its rules. Every part of
a holder list has to match a rule. What matches none is for a person to read, so nothing here lists what is forbidden
except the words of terms, which may stand in no name.
"""

import re

from verification.licences.addresses import is_address, is_handle
from verification.licences.dictionaries import family_names, fold, given_names
from verification.licences.legal_forms import AFFILIATED, split_legal_form
from verification.licences.lexicon import (
    SCRIPTS_WITH_CAPITALS,
    TRIM,
    Kind,
    has_capitals,
    is_brand,
    is_term,
    kind,
    script_of,
    words,
)
from verification.licences.projects import is_project_name

MAX_LENGTH = 400  # characters of a holder list
MAX_PERSON_WORDS = 4
MAX_ORGANIZATION_WORDS = 12
MAX_UNKNOWN = 3  # words in no list that the name of an organization may hold
MAX_CAPITALS = 6  # letters of a lone word in capitals that is taken for an acronym
YEAR = r"(?:19|20)\d\d(?!\w)"
YEARS = re.compile(
    rf"(?<![\w.-]){YEAR}(?:\s*(?:[-,/&~+]|and\b|to\b)+\s*(?:{YEAR}|\d\d\b|present\b|now\b|today\b|current\b|onwards?\b|ongoing\b))*"
    r"(?:\s*[-+](?=\s|,|$))?",
    re.I,
)
ENCLOSED_ADDRESS = re.compile(r"[<(\[]\s*(?:e-?mail:|mailto:)?\s*([^\s<>()\[\]]+)\s*[>)\]]")
OPEN_ADDRESS = re.compile(r"(?<!\S)((?:https?://|www\.)\S+?|[^\s<>(),;]+@[^\s<>(),;]+?|@[\w-]+)[.,;:]*(?=\s|$)")
RIGHTS = re.compile(
    r"\b(?:all\s+rights?\s+(?:are\s+)?reserved|alle\s+rechte\s+vorbehalten|tous\s+droits\s+r[ée]serv[ée]s"
    r"|todos\s+los\s+derechos\s+reservados|todos\s+os\s+direitos\s+reservados|tutti\s+i\s+diritti\s+riservati"
    r"|все\s+права\s+защищены|wszelkie\s+prawa\s+zastrze[żz]one|alle\s+rechten\s+voorbehouden)\b|版权所有|保留所有权利",
    re.I,
)
JOINT = r"(?:and\s*/\s*or|and|or|&|\+|with|und|et|y|e|og|och)"
OTHERS = r"(?:(?:its|their|his|her|the|other|various|all|any|individual|respective|additional|project)\s+){0,3}"
AFFILIATES = re.compile(
    rf"[,\s]+{JOINT}\s+{OTHERS}(?:affiliates?|affiliated\s+companies|subsidiaries|subsidiary|group\s+companies)\b"
    rf"(?:\s+{JOINT}\s+(?:affiliates|subsidiaries))?|\s+or\s+an?\s+\w+\s+affiliate(?:\s+company)?\b",
    re.I,
)
PARTNERS = re.compile(
    rf"(?:(?:^|[,\s]+){JOINT}\s+{OTHERS}|^{OTHERS}|(?<=[,;])\s*{OTHERS})"
    r"(?:contributors?(?:\(s\))?|authors?|others|developers|maintainers|collaborators|committers|community(?:\s+contributors)?"
    r"|(?:core\s+)?team)\b(?=\s*(?:[.,;()]|and\b|$))|[,\s]+et\s*\.?\s*al\b\.?|[,\s]+u\.\s?a\.",
    re.I,
)
SEPARATOR = re.compile(
    r"[,;|()\[\]<>*`]|\s[-/:]+(?=\s|$)|:\s|(?<=[^\W\d_]{3})\.\s+(?=[^\Wa-z])|\s(?:a\.?k\.?a\.?|d/?b/?a)\s", re.I
)
CONJUNCTION = re.compile(r"\s+(?:and|&|und|et|y|e|og|och|en|i|и|та|\+)\s+|^(?:and|&|by|und|et)\s+|\s+(?:and|&)$", re.I)
SHORT_FORMS = {"(주)": "주식회사", "(株)": "株式会社", "(有)": "有限会社"}
PART_OF = re.compile(
    r"^(?:an?|part of|a part of)\s+(?:division|subsidiary|unit|brand|part|department|member)\s+of\s+(?:the\s+)?", re.I
)
IN_BRACKETS = re.compile(
    r"\((haftungsbeschr[äa]nkt|p|[^\W\d_]+)\)"
    r"(?=\s*(?:$|[,.]|co\b|ltd|limited|private|pvt|pte|pty|inc|llc|gmbh|ag\b|technolog|software|[^\x00-\x7f]))",
    re.I,
)  # a part of a company's name: "Sample (Thailand) Ltd"
CONTRIBUTORS_TO = re.compile(
    r"(?:the\s+)?(?:contributors|authors|developers|maintainers)\s+(?:to|of)\s+(?:the\s+)?", re.I
)
CREDITS = re.compile(
    r"[(<\[,]?\s*(?:(?:please\s+)?see|listed\s+in|as\s+listed\s+in)\s+(?:the\s+)?(?:accompanying\s+)?"
    r"(?:authors|contributors|credits|maintainers)(?:\.(?:md|txt|rst))?\b(?:\s+file)?"
    r"(?:\s+for\s+(?:more\s+)?(?:details|information|(?:a|the)\s+(?:full\s+)?list(?:\s+of\s+(?:authors|contributors|names))?))?\s*[)>\]]?",
    re.I,
)


def is_holder_list(text: str) -> bool:
    """Whether the text holds nothing but holders, years, addresses and "All rights reserved"."""
    return are_holders(pieces_of(text))


def are_holders(pieces: tuple[str, ...] | None) -> bool:
    """Whether each piece of a list is a holder, and not more than one of them a single word."""
    if pieces is None:
        return False
    lone = [piece for piece in pieces if is_lone_name(piece)]
    return len(lone) <= 1 and all(piece in lone or is_holder(piece) for piece in pieces)


def pieces_of(text: str) -> tuple[str, ...] | None:
    """The holders of a list one by one; None where an address is none, or the text is too long."""
    if len(text) > MAX_LENGTH:
        return None
    text = text.strip("*_` ")
    for short, form in SHORT_FORMS.items():
        text = text.replace(short, f" {form} ")
    text = IN_BRACKETS.sub(r" \1 ", text)
    for pattern in (ENCLOSED_ADDRESS, OPEN_ADDRESS):
        addresses = [found for found in pattern.finditer(text) if re.search(r"[@/]|\w\.\w", found[1])]
        if not all(is_address(found[1]) for found in addresses):
            return None
        text = "".join(cut_out(text, addresses))
    text = YEARS.sub(" ; ", RIGHTS.sub(" ; ", CREDITS.sub(" ; ", text)))
    text = PARTNERS.sub(" ; ", AFFILIATES.sub(f" {AFFILIATED} ; ", text))
    return tuple(split_holders(joined_forms(SEPARATOR.split(text))))


def cut_out(text: str, found: list[re.Match[str]]) -> list[str]:
    """The text with the matches replaced by separators."""
    parts, place = [], 0
    for match in found:
        parts += [text[place : match.start()], " ; "]
        place = match.end()
    return [*parts, text[place:]]


def joined_forms(parts: list[str]) -> list[str]:
    """The parts between separators, a legal form joined with the name before it: "Acme, Inc."."""
    joined: list[str] = []
    for part in filter(None, (part.strip(TRIM) for part in parts)):
        form = split_legal_form(part.split())
        is_form = form is not None and (not form or form == [AFFILIATED])
        if joined and is_form and not is_brand(part):
            joined[-1] += f" {part}"
        else:
            joined.append(part)
    return joined


def split_holders(parts: list[str]) -> list[str]:
    """The parts, split at "and" unless the whole is one name: "Johnson and Johnson Inc."."""
    holders: list[str] = []
    for part in parts:
        part = PART_OF.sub("", part)
        whole = is_brand(part) or is_organization(part) or is_group(part)
        holders += [part] if whole else [one for each in CONJUNCTION.split(part) if each and (one := each.strip(TRIM))]
    return holders


def is_holder(text: str) -> bool:
    """Whether the text is one holder."""
    return is_brand(text) or is_person(text) or is_group(text) or is_organization(text)


def is_lone_name(text: str) -> bool:
    """Whether this is a single word that can only be a proper name, an acronym or a user name."""
    text = text.removeprefix("the ").removeprefix("The ")
    if " " in text or is_brand(text):
        return False
    if is_handle(text):
        return True
    found = kind(text.rstrip("."))
    if not has_capitals(text):
        return False
    if text.isupper() and len(text) > MAX_CAPITALS:
        return False
    return found in (Kind.UNKNOWN, Kind.NAME) or (found is Kind.INITIALS and len(text) > 1)


def is_person(text: str) -> bool:
    """Whether this is the name of a person: words of the lists of names, and at most one that is not in them."""
    tokens = [token for token in re.split(r"\s+", text) if fold(token.strip(TRIM)) not in words("honorifics")]
    if len(tokens) == 1 and tokens[0]:
        return is_joined_name(tokens[0])
    scripts = {script_of(token) for token in tokens} - {""}
    kinds = [kind(token.strip(TRIM)) for token in tokens]
    named = kinds.count(Kind.NAME)
    unknown = [token for token, found in zip(tokens, kinds, strict=True) if found is Kind.UNKNOWN]
    allowed = {Kind.NAME, Kind.NAME_OR_WORD, Kind.INITIALS, Kind.PARTICLE, Kind.UNKNOWN}
    if len(scripts) != 1 or not set(kinds) <= allowed or len(tokens) - kinds.count(Kind.PARTICLE) > MAX_PERSON_WORDS:
        return False
    if scripts == {"HAN"}:
        return is_written_without_capitals(tokens)
    if unknown:
        known = [token for token, found in zip(tokens, kinds, strict=True) if is_known_name(token, found)]
        return len(unknown) == 1 and bool(known) and len(tokens) <= MAX_PERSON_WORDS - 1 and is_surname_like(unknown[0])
    if named:
        return True
    ambiguous = [fold(token) for token, found in zip(tokens, kinds, strict=True) if found is Kind.NAME_OR_WORD]
    return len(ambiguous) == 2 and ambiguous[0] in given_names() and ambiguous[1] in family_names()


def is_known_name(token: str, found: Kind) -> bool:
    """Whether a word shows that an unknown word beside it is a name."""
    return found in (Kind.NAME, Kind.INITIALS) or fold(token.strip(TRIM)) in words("given_names_that_are_words")


def is_surname_like(token: str) -> bool:
    """Whether a word that is in no list can be a surname: of a script with capitals, and written with one."""
    bare = token.strip(TRIM)
    return has_capitals(bare) and not bare.islower() and not bare.isupper() and "." not in bare and "_" not in bare


def is_joined_name(token: str) -> bool:
    """Whether one word without spaces is family name and given name, as Chinese, Japanese and Korean write them."""
    if is_term(fold(token)):
        return False
    script = script_of(token)
    if script == "HANGUL":
        return any(token[:n] in family_names() and token[n:] in given_names() for n in (1, 2))
    if script != "HAN":
        return False
    return any(token[:n] in family_names() and 1 <= len(token) - n <= 2 for n in (1, 2))


def is_written_without_capitals(tokens: list[str]) -> bool:
    """Whether these are a Chinese or Japanese family name and a given name of at most three characters."""
    return len(tokens) == 2 and tokens[0] in family_names() and len(tokens[1]) <= 3 and not is_term(tokens[1])


def is_group(text: str) -> bool:
    """Whether this is "The X Authors", "X contributors" or "the X project developers"."""
    if found := CONTRIBUTORS_TO.match(text):
        return is_project_name([token for token in text[found.end() :].split() if fold(token) not in words("groups")])
    tokens = fold(text).strip(TRIM).split()
    originals = text.strip(TRIM).split()
    has_article = tokens[:1] == ["the"]
    if has_article:
        tokens, originals = tokens[1:], originals[1:]
    end = len(tokens)
    while end and tokens[end - 1].strip(TRIM) in words("groups") | words("group_adjectives"):
        end -= 1
    if end == len(tokens) or tokens[-1].strip(TRIM) not in words("groups"):
        return False
    body = originals[:end]
    return len(body) <= MAX_PERSON_WORDS and (not body or is_project_name(body, max_words=int(has_article)))


def is_organization(text: str) -> bool:
    """Whether this is a name with a legal form, or with a noun that only organizations have."""
    tokens = text.split()
    if not tokens or len(tokens) > MAX_ORGANIZATION_WORDS + 4:
        return False
    body = split_legal_form(tokens)
    if body is not None:
        is_short = len(body) <= 2 or not {"HAN", "HANGUL", "MIXED"}.intersection(map(script_of, tokens))
        is_name = is_brand(" ".join(body)) or (bool(body) and is_body_of_name(body, max_words=len(body)))
        return is_name and is_short and len(body) <= MAX_ORGANIZATION_WORDS
    if fold(tokens[0]) == "the":
        tokens = tokens[1:]
    return len(tokens) <= MAX_ORGANIZATION_WORDS and is_named_by_noun(tokens)


def is_named_by_noun(tokens: list[str]) -> bool:
    folded = [fold(token.strip(TRIM)) for token in tokens]
    if len(tokens) < 2:
        return False
    if words("institutions").intersection(folded) and words("connectors").intersection(folded):
        return is_body_of_name(tokens, max_words=len(tokens))
    is_named = bool(words("organizations").intersection(folded))
    return is_named and all(has_capitals(token) for token in tokens if script_of(token)) and is_body_of_name(tokens, 1)


def is_body_of_name(tokens: list[str], max_words: int) -> bool:
    """Whether these are the words of an organization's name, not more than `max_words` of them ordinary words."""
    inner = [t for n, t in enumerate(tokens) if not (0 < n < len(tokens) - 1 and fold(t) in words("connectors"))]
    if fold(inner[0]) == "the":
        inner = inner[1:]
    kinds = [kind_in_organization(token) for token in inner]
    if not kinds or {Kind.TERM, Kind.NONE}.intersection(kinds) or kinds.count(Kind.WORD) > max_words:
        return False
    return kinds.count(Kind.UNKNOWN) <= MAX_UNKNOWN and is_of_one_script(inner)


def is_of_one_script(tokens: list[str]) -> bool:
    """Whether the words are of scripts with capitals, or few and of one other script."""
    scripts = {script_of(token) for token in tokens} - {""}
    if all(script in SCRIPTS_WITH_CAPITALS for script in scripts):
        return True
    return len(scripts) == 1 and len(tokens) <= (2 if scripts <= {"HAN", "HANGUL"} else MAX_PERSON_WORDS)


def kind_in_organization(token: str) -> Kind:
    bare = token.strip(TRIM + "()")
    if is_brand(bare):
        return Kind.NEUTRAL
    if is_handle(bare) or is_address(bare):
        return Kind.UNKNOWN
    return Kind.NEUTRAL if fold(bare) in words("organizations") else kind(bare)
