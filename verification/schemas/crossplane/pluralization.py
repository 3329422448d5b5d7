"""Plurals of kinds, as the generator of provider definitions builds them.

It looks at the last word of the kind alone, and its tables are not always English: a repo becomes repoes.
"""

ACRONYMS = frozenset(
    {"ACL", "AES", "API", "ARP", "ATM", "BGP", "CIDR", "CLI", "CPU", "DES", "DHCP", "DNS", "EOF", "ESS", "FTP", "HTML"}
    | {"HTTP", "HTTPS", "ICMP", "ID", "IDS", "IMAP", "IP", "IPS", "ISP", "JSON", "JWT", "LAN", "MAC", "MTU", "NAT"}
    | {"NIC", "OIDC", "OK", "OSPF", "PC", "PDU", "RAM", "SMTP", "SNMP", "SQL", "SSH", "SSID", "TIA", "UDP", "URI"}
    | {"URL", "USB", "UTF8", "UUID", "VC", "VLAN", "VPN", "WAN", "WPA"}
)
IRREGULAR_PLURALS = {
    "alias": "aliases",
    "analysis": "analyses",
    "apex": "apexes",
    "appendix": "appendices",
    "axis": "axes",
    "bus": "buses",
    "codex": "codices",
    "crisis": "crises",
    "criterion": "criteria",
    "curriculum": "curriculums",
    "datum": "data",
    "diagnosis": "diagnoses",
    "equipment": "equipment",
    "focus": "foci",
    "foo": "foos",
    "formula": "formulas",
    "halo": "halos",
    "hypothesis": "hypotheses",
    "index": "indices",
    "information": "information",
    "locus": "loci",
    "matrix": "matrices",
    "news": "news",
    "nucleus": "nuclei",
    "octopus": "octopi",
    "ox": "oxen",
    "photo": "photos",
    "plus": "pluses",
    "quiz": "quizzes",
    "quota": "quotas",
    "radius": "radiuses",
    "stimulus": "stimuli",
    "synapse": "synapses",
    "synopsis": "synopses",
    "thesis": "theses",
    "vortex": "vortices",
}
PLURALS = frozenset(IRREGULAR_PLURALS.values())
# the first matching rule applies; plural endings stay unchanged
ENDINGS = (
    ("cookie", "cookies"),
    ("movie", "movies"),
    ("move", "moves"),
    ("hive", "hives"),
    ("thief", "thieves"),
    ("hoof", "hoofs"),
    ("dwarf", "dwarfs"),
    ("money", "money"),
    ("stadium", "stadiums"),
    ("medium", "media"),
    ("media", "media"),
    ("basis", "bases"),
    ("base", "bases"),
    ("bureau", "bureaus"),
    ("person", "people"),
    ("die", "dice"),
    ("woman", "women"),
    ("tooth", "teeth"),
    ("mouse", "mice"),
    ("human", "humans"),
    ("man", "men"),
    ("louse", "lice"),
    ("goose", "geese"),
    ("foot", "feet"),
    ("child", "children"),
    ("species", "species"),
    ("series", "series"),
    ("police", "police"),
    ("fish", "fish"),
    ("deer", "deer"),
    ("chassis", "chassis"),
    ("tive", "tives"),
    ("eaf", "eaves"),
    ("oaf", "oaves"),
    ("afe", "aves"),
    ("arf", "arves"),
    ("rfe", "rves"),
    ("rf", "rves"),
    ("lf", "lves"),
    ("fe", "ves"),
    ("ay", "ays"),
    ("ey", "eys"),
    ("oy", "oys"),
    ("quy", "quies"),
    ("uy", "uys"),
    ("y", "ies"),
    ("eau", "eaux"),
    ("campus", "campuses"),
    ("actus", "acti"),
    ("adium", "adia"),
    ("focus", "foci"),
    ("genus", "genera"),
    ("oasis", "oasis"),
    ("atum", "ata"),
    ("atus", "atuses"),
    ("cess", "cesses"),
    ("dium", "diums"),
    ("eses", "esis"),
    ("iano", "ianos"),
    ("irus", "iri"),
    ("isis", "ises"),
    ("leus", "li"),
    ("mnus", "mni"),
    ("news", "news"),
    ("odex", "odice"),
    ("ouse", "ouses"),
    ("shoe", "shoes"),
    ("stis", "stes"),
    ("vice", "vices"),
    ("box", "boxes"),
    ("dge", "dges"),
    ("itz", "itzes"),
    ("ium", "ia"),
    ("ize", "izes"),
    ("nna", "nnas"),
    ("ode", "odes"),
    ("tum", "ta"),
    ("tus", "tuses"),
    ("ula", "ulae"),
    ("use", "uses"),
    ("uss", "usses"),
    ("ch", "ches"),
    ("ex", "ices"),
    ("io", "ios"),
    ("sh", "shes"),
    ("ss", "sses"),
    ("tz", "tzes"),
    ("va", "vae"),
    ("zz", "zzes"),
    ("o", "oes"),
    ("x", "xes"),
)


def pluralize(kind: str) -> str:
    """The kind in the plural and in small letters, as it stands in addresses: SearchIndex becomes searchindices."""
    last = get_last_word(kind)
    plural_word = _pluralize_acronym(last.lower()) if last.upper() in ACRONYMS else _pluralize_word(last.lower())
    return kind[: len(kind) - len(last)].lower() + plural_word


def get_last_word(kind: str) -> str:
    """The last word of a name in capitals and small letters; what an acronym is followed by is a word of its own."""
    if kind.upper() in ACRONYMS:
        return kind
    word, before = "", ""
    for letter in kind:
        if letter.isupper() and (not before.isupper() or word.upper() in ACRONYMS):
            word = ""
        word, before = word + letter, letter
    return word


def _pluralize_acronym(word: str) -> str:
    return word + ("es" if word.endswith("s") else "s")


def _pluralize_word(word: str) -> str:
    if word in PLURALS or word in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS.get(word, word)
    for ending, plural_ending in ENDINGS:
        if word.endswith(plural_ending):
            return word
        if word.endswith(ending):
            return word[: -len(ending)] + plural_ending
    return word if word.endswith("s") else word + "s"
