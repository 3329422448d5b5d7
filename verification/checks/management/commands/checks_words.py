"""Command that collects the questions of checks for translators.

Writes verification/checks/question_texts.py from the docstrings of the checks.
"""

import json
from pathlib import Path

from django.conf import settings

import verification.checks.rules  # noqa: F401 - registers the checks
from portal.core.generated_docs import TableDocsCommand
from verification.checks.documentation import get_check_details, get_check_question
from verification.checks.types import CHECKS

MODULE_PATH = settings.BASE_DIR / "verification" / "checks" / "question_texts.py"
HEADER = '''"""Questions of the checks for translators: their docstrings, written by `manage.py checks_words`."""

# fmt: off
# ruff: noqa: E501 - one paragraph per line
from portal.core.translation import gettext_noop

'''


def build_module() -> str:
    """Return the current module: every paragraph once, in the order of the checks' keys."""
    words = [
        words
        for _key, check in sorted(CHECKS.items())
        for words in (get_check_question(check), *get_check_details(check))
        if words
    ]
    lines = [f"    gettext_noop({json.dumps(text, ensure_ascii=False)}),\n" for text in dict.fromkeys(words)]
    return f"{HEADER}QUESTION_TEXTS = (\n{''.join(lines)})\n"


class Command(TableDocsCommand):
    help = "Write verification/checks/question_texts.py."
    subject = "the checks"

    def render_docs(self) -> tuple[Path, str]:
        return MODULE_PATH, build_module()
