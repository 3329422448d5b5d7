"""What do translators find of the questions that checks ask?

Writes verification/checks/question_texts.py from their docstrings.
"""

import json
from pathlib import Path

from django.conf import settings

import verification.checks.rules  # noqa: F401 - registers the checks
from portal.core.generated_docs import TableCommand
from verification.checks.documentation import asks, more
from verification.checks.types import CHECKS

MODULE = settings.BASE_DIR / "verification" / "checks" / "question_texts.py"
HEAD = '''"""What do the checks ask, as translators find it? Their docstrings, written by `manage.py checks_words`."""

# fmt: off
# ruff: noqa: E501 - a paragraph a line
from portal.core.translation import gettext_noop

'''


def module() -> str:
    """The module as it should be: every paragraph once, in the order of the checks' keys."""
    words = [words for _key, check in sorted(CHECKS.items()) for words in (asks(check), *more(check)) if words]
    lines = [f"    gettext_noop({json.dumps(each, ensure_ascii=False)}),\n" for each in dict.fromkeys(words)]
    return f"{HEAD}ASKED = (\n{''.join(lines)})\n"


class Command(TableCommand):
    help = "Writes verification/checks/question_texts.py."
    about = "the checks"

    def wanted(self) -> tuple[Path, str]:
        return MODULE, module()
