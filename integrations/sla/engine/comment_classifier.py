"""Rule-based classification of comments as statements, questions, or requests.

The rules consider only the author's own prose, without quotes, code, URLs, mentions, commands, and HTML comments.
"""

import re

QUOTE_PATTERN = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
COMMAND_PATTERN = re.compile(r"^[ \t]*/\w[\w-]*(?:[ \t].*)?$", re.MULTILINE)
# In GitHub's Markdown, a comment or code block that isn't closed extends to the end of the text.
HTML_COMMENT_PATTERN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
CODE_PATTERN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
CODE_CONTENT_PATTERN = re.compile(r"(?<!`)`++\s*+[^`\s][^`]*+`")  # inline or in a block, not blank
# Anyone can comment. The lengths are limited so that hostile text can't keep a pattern busy.
IMAGE_PATTERN = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^\[)\n]{0,1000}\)|<img\b[^<>]{0,1000}>", re.IGNORECASE)
URL_PATTERN = re.compile(r"https?://\S*[\w/=&#%+-]")  # without the punctuation of the sentence
MARKUP_PATTERN = re.compile(r"@[\w-]+(?:/[\w-]+)?|:[a-z0-9_+-]+:|</?\w++[^<>]{0,300}>", re.IGNORECASE)
EMPHASIS_PATTERN = re.compile(r"[*_]+")
WORD_PATTERN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?;])[)\]\"'”’»]*(?:\s+|\Z)|(?<=[？؟。！\n])")
QUESTION_MARKS = ("?", "？", "؟")

COURTESY_TEXT = """
    a ack again all any appreciate bump cheers cool following for good great hello here hey hi hm hmm i interesting
    issue its like lot me much news nice noted of ok okay on one opening our patience ping plus question raising report
    reporting reports same so soon stay submitting subscribed subscribing sure test testing thank thanks that the there
    this thx too tuned up update updates very watching we well will yes you your
"""
COURTESY_WORDS = frozenset(COURTESY_TEXT.split())
STOCK_QUESTION_PATTERN = re.compile(
    r"\bstill (?:an? (?:issue|problem|bug|thing)|relevant|happening|needed|valid|the case|present|required|wanted)\b"
    r"|\bany (?:news|updates?|thoughts|progress)\b|\bdoes this still\b",
    re.IGNORECASE,
)
REQUEST_PATTERN = re.compile(
    r"\bplease\b|\b(?:could|can|would|will) you\b|\blet (?:us|me) know\b|\b(?:we|i) (?:would |will |'ll )?need\b"
    r"|\b(?:provide|attach|share|send|post|paste)\b",
    re.IGNORECASE,
)
# Standard sentences at the beginning of automatic replies, which bots and email programs send in a person's name
AUTOMATIC_REPLY_PATTERN = re.compile(
    r"\W*(?:"
    r"(?:this|the) (?:issue|ticket) (?:has been|was|will be|is being) automatically"
    r"|(?:this|the following) is an? (?:automatic|automated|auto-generated) (?:message|reply|response|comment|email)"
    r"|(?:automatic|automated|auto)[- ]?(?:reply|response)\b"
    r"|(?:i am|i'm|i’m) (?:currently )?(?:out of (?:the )?office|on (?:annual leave|vacation|holiday))"
    r"|out of office\b"
    r")",
    re.IGNORECASE,
)
MIN_ANSWER_LETTERS = 4  # without courtesy words
MIN_QUESTION_WORDS = 3


def extract_prose(text: str) -> str:
    """Return the author's own prose, without code and URLs."""
    for pattern in (
        HTML_COMMENT_PATTERN,
        CODE_PATTERN,
        QUOTE_PATTERN,
        IMAGE_PATTERN,
        URL_PATTERN,
        COMMAND_PATTERN,
        MARKUP_PATTERN,
        EMPHASIS_PATTERN,
    ):
        text = pattern.sub(" ", text)
    return text


def is_answer(text: str) -> bool:
    """Return whether a comment has content: a URL, code, or at least four letters beyond courtesy words.

    An automatic reply never has.
    """
    if is_automatic_reply(text):
        return False
    # Code and links stay in this text: a patch or a link to the documentation answers an issue without further words.
    own_text = IMAGE_PATTERN.sub(" ", QUOTE_PATTERN.sub(" ", HTML_COMMENT_PATTERN.sub(" ", text)))
    if URL_PATTERN.search(own_text) or CODE_CONTENT_PATTERN.search(own_text):
        return True
    content_letters = "".join(
        word for word in WORD_PATTERN.findall(extract_prose(text)) if word.lower() not in COURTESY_WORDS
    )
    return _count_letters(content_letters) >= MIN_ANSWER_LETTERS


def is_automatic_reply(text: str) -> bool:
    """Return whether a comment begins like an automatic reply."""
    return AUTOMATIC_REPLY_PATTERN.match(extract_prose(text)) is not None


def has_question(text: str) -> bool:
    """Return whether a comment has a question of at least three words that is not a stock phrase."""
    return any(
        sentence.rstrip().endswith(QUESTION_MARKS) and _is_real_question(sentence)
        for sentence in SENTENCE_END_PATTERN.split(extract_prose(text))
    )


def has_statement(text: str) -> bool:
    """Return whether a comment has content apart from its questions."""
    sentences = SENTENCE_END_PATTERN.split(EMPHASIS_PATTERN.sub(" ", QUOTE_PATTERN.sub(" ", text)))
    return is_answer(" ".join(part for part in sentences if not part.rstrip().endswith(QUESTION_MARKS)))


def has_request(text: str) -> bool:
    """Return whether a comment asks for something, with or without a question mark."""
    own_text = extract_prose(text)
    return has_question(text) or (
        bool(REQUEST_PATTERN.search(own_text))
        and _is_real_question(own_text)
        and len(WORD_PATTERN.findall(own_text)) > MIN_QUESTION_WORDS
    )


def build_fingerprint(text: str) -> str:
    """Return a fingerprint that ignores quotes, punctuation, whitespace, and letter case."""
    return " ".join(word.lower() for word in WORD_PATTERN.findall(extract_prose(text)))


def _is_real_question(sentence: str) -> bool:
    words = WORD_PATTERN.findall(sentence)
    letters = "".join(words)
    has_content = any(word.lower() not in COURTESY_WORDS for word in words)
    # Scripts without spaces between words write a whole question as one word.
    is_in_dense_script = _count_letters(letters) == 2 * len(letters) > MIN_QUESTION_WORDS
    is_long_enough = len(words) >= MIN_QUESTION_WORDS or is_in_dense_script
    return has_content and is_long_enough and not STOCK_QUESTION_PATTERN.search(sentence)


def _count_letters(letters: str) -> int:
    """Count letters. Letters of scripts that write a word in one or two characters count double."""
    return sum(2 if letter >= "\u2e80" else 1 for letter in letters)
