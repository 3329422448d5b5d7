"""Files of the repository to which findings refer."""

from pathlib import Path
from urllib.parse import unquote

from pydantic import TypeAdapter

from portal.core.content_files import load_content
from portal.core.value_types import JsonObject

FILE_BY_KEY_PREFIX = load_content(Path(__file__).parent / "content" / "files.yaml", TypeAdapter(dict[str, str]))


def list_files(check: JsonObject, repository: str) -> list[str]:
    """Return the files of a finding: those in its evidence, otherwise the one in which the finding is usually fixed.

    The second one need not exist, for example a missing license.
    """
    urls = [item["url"] for item in check["evidence"]]
    files = [_get_file(url) for url in urls if f"/{repository}/blob/".lower() in url.lower()]
    usual = next(file for prefix, file in FILE_BY_KEY_PREFIX.items() if check["id"].startswith(prefix))
    return list(dict.fromkeys(files)) or [usual]


def _get_file(url: str) -> str:
    """Return the path in the repository of https://HOST/OWNER/NAME/blob/COMMIT/PATH."""
    return unquote(url.partition("/blob/")[2].partition("/")[2].partition("#")[0])
