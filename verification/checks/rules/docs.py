"""Is the documentation in the repository complete, before the registry shows it? Read from the tree of the release."""

import re
from collections.abc import Mapping

from portal.core.translation import gettext_noop
from verification.checks.rules.link_reachability import LINKS_FRESH, ask_all, judged
from verification.checks.rules.shared_reads import code_of, link_to, state_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.html_pages import links_of
from verification.sources.repository_snapshot import Code, File

LAYOUT = "https://developer.hashicorp.com/terraform/registry/providers/docs"
ROOTS = ("docs/", "website/docs/")
ENDING = re.compile(r"\.(?:html\.)?(?:md|markdown)$")
FOLDERS = {
    "resources": "resources", "r": "resources", "data-sources": "data-sources", "d": "data-sources",
    "functions": "functions", "ephemeral-resources": "ephemeral-resources", "guides": "guides",
}  # fmt: skip
THINGS = ("resources", "data-sources", "functions", "ephemeral-resources")
IN_CODE = {
    "resources": re.compile(r"(?:^|/)(?:resource_(?P<a>[a-z0-9_]+)|(?P<b>[a-z0-9_]+)_resource)\.go$"),
    "data-sources": re.compile(r"(?:^|/)(?:data_source_(?P<a>[a-z0-9_]+)|(?P<b>[a-z0-9_]+)_data_source)\.go$"),
    "functions": re.compile(r"(?:^|/)(?:function_(?P<a>[a-z0-9_]+)|(?P<b>[a-z0-9_]+)_function)\.go$"),
}
MOST_PAGES = 1000
MOST_BYTES = 500_000
MOST_LINKS = 15
SHOWN = 10


def pages_of(code: Code) -> Mapping[str, dict[str, File]]:
    """The pages by category and name; "index" holds the overview. The newer folder counts where there are both."""
    root = next((root for root in ROOTS if any(file.path.startswith(root) for file in code.files)), ROOTS[0])
    found: dict[str, dict[str, File]] = {"index": {}, "guides": {}, **{thing: {} for thing in THINGS}}
    for file in code.files:
        if file.path.startswith(root) and ENDING.search(file.path):
            folder, _, page = file.path.removeprefix(root).rpartition("/")
            name = ENDING.sub("", page)
            category = "index" if not folder and name == "index" else FOLDERS.get(folder, "")
            if category:
                found[category][name] = file
    return found


def named_in_code(code: Code) -> Mapping[str, set[str]]:
    """What the names of Go files say that there is, by category."""
    found: dict[str, set[str]] = {category: set() for category in IN_CODE}
    for file in code.go_files():
        category = next((c for c in ("data-sources", "functions", "resources") if IN_CODE[c].search(file.path)), "")
        match = IN_CODE[category].search(file.path) if category else None
        if match:
            found[category].add(match["a"] or match["b"])
    return found


def _cut(code: Code) -> Result:
    return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off.", looked_at=state_of(code))


@check(
    "docs.layout",
    title=gettext_noop("Documentation in the repository"),
    advice=gettext_noop("Write docs/index.md and a page for each resource, best with tfplugindocs, and release them."),
    help=LAYOUT,
)
def layout(subject: Subject, sources: Sources) -> Result:
    """The release holds an overview and at least one page of a resource, data source or function."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return _cut(code)
    pages = pages_of(code)
    seen = tuple(Evidence(category, str(len(found))) for category, found in pages.items() if found)
    if not pages["index"]:
        return Result(Outcome.WARN, "There is no docs/index.md.", seen, state_of(code))
    if not any(pages[thing] for thing in THINGS):
        summary = "There is an overview, but no page of a resource or data source."
        return Result(Outcome.WARN, summary, seen, state_of(code))
    total = sum(len(pages[thing]) for thing in THINGS)
    return Result(Outcome.PASS, f"An overview and {total} pages of what it offers.", seen, state_of(code))


@check(
    "docs.pages",
    title=gettext_noop("A page for each resource, data source and function"),
    advice=gettext_noop("Write the missing pages, best with tfplugindocs, which makes them from the schema."),
    help=LAYOUT,
)
def pages(subject: Subject, sources: Sources) -> Result:
    """For each resource, data source and function that bears its name on a Go file, there is a page."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return _cut(code)
    named, written = named_in_code(code), pages_of(code)
    total = sum(map(len, named.values()))
    if not total:
        summary = "No Go file bears the name of a resource, so nothing could be compared."
        return Result(Outcome.NOT_RUN, summary, looked_at=state_of(code))
    missing = [f"{c}/{name}" for c, names in named.items() for name in sorted(names) if not _has(written[c], name)]
    seen = tuple(Evidence("No page", name, link_to(code, sources)) for name in missing[:SHOWN])
    if missing:
        return Result(Outcome.WARN, f"{len(missing)} of {total} have no page.", seen, state_of(code))
    return Result(Outcome.PASS, f"All {total} have a page.", seen, state_of(code))


def _has(written: Mapping[str, File], name: str) -> bool:
    """Pages bear names without the provider's own, files sometimes with it."""
    return name in written or any(name.endswith(f"_{page}") or page.endswith(f"_{name}") for page in written)


@check(
    "docs.limits",
    title=gettext_noop("Size of the documentation"),
    advice=gettext_noop("Shorten or split what is longer: the registry cuts pages off and leaves further ones out."),
    help=LAYOUT,
)
def limits(subject: Subject, sources: Sources) -> Result:
    """No more than 1,000 pages, none larger than 500 KB."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return _cut(code)
    every = [file for found in pages_of(code).values() for file in found.values()]
    long = [file for file in every if file.size > MOST_BYTES]
    seen = tuple(
        Evidence(f"{file.size // 1000} KB", file.path, link_to(code, sources, file.path)) for file in long[:SHOWN]
    )
    if not every:
        return Result(Outcome.NOT_RUN, "There is no page that could be measured.", looked_at=state_of(code))
    if len(every) > MOST_PAGES:
        summary = f"{len(every)} pages; the registry takes {MOST_PAGES} of a version."
        return Result(Outcome.WARN, summary, seen, state_of(code))
    if long:
        return Result(Outcome.WARN, f"{len(long)} pages are larger than 500 KB.", seen, state_of(code))
    return Result(Outcome.PASS, f"{len(every)} pages, none larger than 500 KB.", seen, state_of(code))


@check(
    "docs.links",
    title=gettext_noop("Links that answer"),
    advice=gettext_noop("Correct or remove the links that lead nowhere."),
    fresh=LINKS_FRESH,
)
def links(subject: Subject, sources: Sources) -> Result:
    """The links of the overview and of the README answer, the first 15 of them."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    overview = list(pages_of(code)["index"].values())
    readme = [file for file in code.files if file.path.lower() == "readme.md"]
    found = dict.fromkeys(address for file in (*overview, *readme) for address in links_of(code.open(file)))
    secure = [address for address in found if address.startswith("https://")][:MOST_LINKS]
    outcome, summary, seen = judged(ask_all(sources, secure), dead=Outcome.WARN)
    return Result(outcome, summary, seen, state_of(code))
