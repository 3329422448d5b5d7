"""Pairs of a version constraint and an offered version, and lists to choose from, drawn from a seed."""

import random
from dataclasses import dataclass
from itertools import product

CONSTRAINTS = (
    "",
    " ",
    "0.0.0",
    ">= 0.0.0",
    "> 0.0.0",
    "!= 0.0.0",
    "~> 0.0.0",
    "<= 0.0.0",
    "0",
    "~> 0",
    ">=  1.0",
    ">= 1.0",
    "  >= 1.0",
    ">\t1.0",
    ">=\n1",
    "~>  1.0.0",
    ">=\u00a01",
    "1.0.0+",
    "1.0.0+a",
    "!= 1.0.0+a",
    ">= 1.0.0+a",
    "> 1.0.0+a",
    "<1.0.0+a",
    "1.0.0+a..b",
    "1.0.0-beta..2",
    ">= 1.0.0-beta..2",
    "~> 1.0.0-beta",
    "~> 1.0-beta",
    "1.0.0-",
    "1.0.0-+a",
    "1.0.0-beta.",
    "1.0.0-.beta",
    "1.0.0-~",
    "1.0.0beta",
    "v1.0.0",
    "1.0.0.0",
    ">= 1.0,",
    ", >= 1.0",
    ">= 1.0 , < 2",
    ">= 1.0 < 2",
    "1 || 2",
    "^1",
    "1.x",
    "*",
    "== 1",
    "=> 1",
    "latest",
    "9223372036854775807.0.0",
    "9223372036854775808.0.0",
    "> 1.0.0-beta, 1.0.0-beta.2",
    "> 1.0.0-beta, < 1.3",
)
VERSIONS = ("0.0.0", "0.0.1", "1.0.0", "1.0.0+a", "1.0.0-beta", "1.0.0-beta.2", "1.0", "1.2.0", "2.0.0", "1.0.0-")
ODD_VERSIONS = (
    "1",
    "1.2",
    "01.2.3",
    "1.2.3-",
    "1.2.3-a..b",
    "1.2-beta",
    "1.2.3+",
    "1.2.3-+a",
    "v1.2.3",
    "1.2.3.4",
    "1.2.x",
    "*",
    "",
    "-1",
    "1..2",
    " 1.2.3",
    "1.2.3 ",
    "1.2.3-a_b",
    "1.2.3-é",
    "1.2.3+a..b",
    "1.2.3-.a",
    "1.2.3beta",
    "９.0.0",
)
IDENTIFIERS = (
    "0",
    "1",
    "2",
    "10",
    "01",
    "00",
    "a",
    "b",
    "alpha",
    "beta",
    "rc",
    "1a",
    "a1",
    "-",
    "--",
    "a-b",
    "A",
    "B",
    "Z",
    "beta1",
    "beta2",
    "rc10",
    "rc2",
    "18446744073709551616",
    "",
)
OPERATORS = ("=", "!=", ">=", "<=", ">", "<", "~>", "")
TIES = (("1.0.0", "1.0.0+a"), ("1.1.0+a", "1.1.0+b"), ("2.0.0+2", "2.0.0+10", "2.0.0"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A constraint and the one version that a registry offers."""

    constraint: str
    version: str


@dataclass(frozen=True, slots=True)
class Selection:
    """A constraint and the versions that a registry offers."""

    constraint: str
    versions: tuple[str, ...]


def generate_pairs(count: int, seed: int) -> list[Pair]:
    """Return the listed pairs, and random ones up to `count`."""
    pairs = {Pair(*each) for each in (*product(CONSTRAINTS, VERSIONS), *product(["< 100"], ODD_VERSIONS))}
    ordered_pairs = sorted(pairs, key=lambda pair: (pair.constraint, pair.version))[:count]
    return [*ordered_pairs, *generate_random_pairs(count - len(ordered_pairs), seed, frozenset(pairs))]


def generate_random_pairs(count: int, seed: int, known_pairs: frozenset[Pair] = frozenset()) -> list[Pair]:
    draw = random.Random(seed)
    random_pairs = dict.fromkeys(known_pairs)
    while len(random_pairs) < len(known_pairs) + count:
        random_pairs[_draw_pair(draw)] = None
    return [pair for pair in random_pairs if pair not in known_pairs]


def generate_selections(count: int, seed: int) -> list[Selection]:
    """Return lists of versions of different precedence, and some whose best differ in build metadata alone."""
    draw = random.Random(seed)
    selections = []
    for number in range(count):
        versions = {f"{draw.randrange(3)}.{draw.randrange(12)}.{draw.randrange(12)}" for _ in range(8)}
        versions |= {f"{each}-{draw.choice(('beta1', 'rc.2', 'alpha'))}" for each in sorted(versions)[:3]}
        offered_versions = draw.sample(sorted(versions), len(versions))
        text = draw.choice((">= 0.1", "~> 1.0", "~> 0.4", "< 2", "!= 1.0.0", f"~> {draw.choice(offered_versions)}"))
        if number % 10 == 0:
            text = "< 100"
            offered_versions = list(draw.choice(TIES))
        selections.append(Selection(text, tuple(offered_versions)))
    return selections


def _draw_pair(draw: random.Random) -> Pair:
    version = _draw_version(draw, parts=(3, 3, 3, 3, 3, 3, 3, 2, 1))
    clauses = [_draw_clause(draw, version) for _ in range(draw.choice((1, 1, 1, 2, 2, 3)))]
    if "-" in version and draw.random() < 0.6:
        clauses.append(f"={version}")  # a pre-release matches only if a clause names it
    return Pair(",".join(clauses), version)


def _draw_clause(draw: random.Random, offered_version: str) -> str:
    version = offered_version
    roll = draw.random()
    if roll > 0.6:
        version = _draw_version(draw, parts=(1, 2, 3, 3, 3, 3, 3, 3, 4))
    elif roll > 0.35:
        version = f"{offered_version.partition('-')[0].partition('+')[0]}-{_draw_identifiers(draw)}"
    gap = draw.choice(("", " ", "  ", "\t")) if draw.random() < 0.1 else draw.choice(("", " "))
    return (
        draw.choice(("", "", "", "", " ", "\t")) + draw.choice(OPERATORS) + gap + version + draw.choice(("", "", " "))
    )


def _draw_version(draw: random.Random, parts: tuple[int, ...]) -> str:
    text = ".".join(draw.choice(("0", "1", "1", "2", "0", "3", "10", "01")) for _ in range(draw.choice(parts)))
    if draw.random() < 0.45:
        text += f"-{_draw_identifiers(draw)}"
    if draw.random() < 0.2:
        text += f"+{_draw_identifiers(draw)}"
    return f"v{text}" if draw.random() < 0.02 else text


def _draw_identifiers(draw: random.Random) -> str:
    return ".".join(draw.choice(IDENTIFIERS) for _ in range(draw.choice((1, 1, 2, 2, 3))))
