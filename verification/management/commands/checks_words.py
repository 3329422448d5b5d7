"""What do translators find of the questions that checks ask? Writes verification/asked.py from their docstrings."""

import json
from pathlib import Path

from django.conf import settings

import verification.checks  # noqa: F401 - registers the checks
from integrations.generated import TableCommand
from verification.base import CHECKS
from verification.explaining import asks, more

MODULE = settings.BASE_DIR / "verification" / "asked.py"
HEAD = '''"""What do the checks ask, as translators find it? Their docstrings, written by `manage.py checks_words`."""

# fmt: off
# ruff: noqa: E501 - a paragraph a line
from verification.base import gettext_noop

'''


def module() -> str:
    """The module as it should be: every paragraph once, in the order of the checks' keys."""
    words = [words for _key, check in sorted(CHECKS.items()) for words in (asks(check), *more(check)) if words]
    lines = [f"    gettext_noop({json.dumps(each, ensure_ascii=False)}),\n" for each in dict.fromkeys(words)]
    return f"{HEAD}ASKED = (\n{''.join(lines)})\n"


class Command(TableCommand):
    help = "Writes verification/asked.py."
    about = "the checks"

    def wanted(self) -> tuple[Path, str]:
        return MODULE, module()
