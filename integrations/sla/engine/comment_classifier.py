"""What does a comment say: something, a question, a request, or nothing? By rules that anybody can read.

They look at the writer's own prose: quotes, code, addresses, mentions, commands and hidden remarks are no words.
"""

import re

QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
COMMAND = re.compile(r"^[ \t]*/\w[\w-]*(?:[ \t].*)?$", re.MULTILINE)
HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,1000}\)|<img\b[^>]{0,1000}>", re.IGNORECASE)
ADDRESS = re.compile(r"https?://\S+")
MARK = re.compile(r"@[\w-]+(?:/[\w-]+)?|:[a-z0-9_+-]+:|</?\w+[^>]{0,300}>", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[？؟。！\n])")
QUESTION_MARKS = ("?", "？", "؟")

COURTESY = """
    a ack again all any appreciate bump cheers cool following for good great hello here hey hi hm hmm i interesting
    issue its like lot me much news nice noted of ok okay on one opening our patience ping plus question raising report
    reporting reports same so soon stay submitting subscribed subscribing sure test testing thank thanks that the there
    this thx too tuned up update updates very watching we well will yes you your
"""
COURTEOUS = frozenset(COURTESY.split())
STOCK_QUESTION = re.compile(
    r"\bstill (?:an? (?:issue|problem|bug|thing)|relevant|happening|needed|valid|the case|present|required|wanted)\b"
    r"|\bany (?:news|updates?|thoughts|progress)\b|\bdoes this still\b",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"\bplease\b|\b(?:could|can|would|will) you\b|\blet (?:us|me) know\b|\b(?:we|i) (?:would |will |'ll )?need\b"
    r"|\b(?:provide|attach|share|send|post|paste)\b",
    re.IGNORECASE,
)
LEAST_LETTERS = 4  # of an answer, courtesy apart
LEAST_WORDS = 3  # of a question


def prose(text: str) -> str:
    """The writer's own words, without code and addresses."""
    for pattern in (HIDDEN, CODE, QUOTED, PICTURE, ADDRESS, COMMAND, MARK):
        text = pattern.sub(" ", text)
    return text


def is_answer(text: str) -> bool:
    """Whether it says something: an address, code, or words beyond courtesy, of four letters together."""
    own = PICTURE.sub(" ", QUOTED.sub(" ", HIDDEN.sub(" ", text)))
    if ADDRESS.search(own) or re.search(r"`[^`\s][^`]*`", own):
        return True
    telling = "".join(word for word in WORD.findall(prose(text)) if word.lower() not in COURTEOUS)
    return _weight(telling) >= LEAST_LETTERS


def asks(text: str) -> bool:
    """Whether it holds a real question: a sentence of three words with a question mark, and no stock phrase."""
    return any(
        sentence.rstrip().endswith(QUESTION_MARKS) and _is_real(sentence)
        for sentence in SENTENCE_ENDS.split(prose(text))
    )


def tells(text: str) -> bool:
    """Whether it says something beside its questions."""
    sentences = SENTENCE_ENDS.split(QUOTED.sub(" ", text))
    return is_answer(" ".join(part for part in sentences if not part.rstrip().endswith(QUESTION_MARKS)))


def requests(text: str) -> bool:
    """Whether it wants something of the reader, with or without a question mark."""
    own = prose(text)
    return asks(text) or (bool(REQUEST.search(own)) and _is_real(own) and len(WORD.findall(own)) > LEAST_WORDS)


def fingerprint(text: str) -> str:
    """The same for texts that differ only in quotes, marks, spaces and case."""
    return " ".join(word.lower() for word in WORD.findall(prose(text)))


def _is_real(sentence: str) -> bool:
    words = WORD.findall(sentence)
    telling = [word for word in words if word.lower() not in COURTEOUS]
    long_enough = len(words) >= LEAST_WORDS or _weight("".join(words)) > 2 * sum(map(len, words)) - 1 >= LEAST_WORDS
    return bool(telling) and long_enough and not STOCK_QUESTION.search(sentence)


def _weight(letters: str) -> int:
    """Letters, those of scripts that write a word with one or two counted double."""
    return sum(2 if letter >= "\u2e80" else 1 for letter in letters)
