"""Checks of the documentation in the released repository, before the registry shows it."""

import re
from collections.abc import Mapping

from verification.checks.rules.link_reachability import check_links
from verification.checks.rules.shared_reads import build_code_url, with_release_code, with_whole_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.sources import Sources
from verification.sources.html_pages import extract_links
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

# In the order of precedence. The registry still reads the legacy folder website/docs/, whose pages end in .html.md or
# .html.markdown.
DOCS_ROOTS = ("docs/", "website/docs/")
PAGE_SUFFIX_PATTERN = re.compile(r"\.(?:html\.)?(?:md|markdown)$")
DOCUMENTED_CATEGORIES = ("resources", "data-sources", "functions", "ephemeral-resources", "list-resources", "actions")
CATEGORY_BY_FOLDER = {name: name for name in (*DOCUMENTED_CATEGORIES, "guides")}
CATEGORY_BY_FOLDER |= {"r": "resources", "d": "data-sources"}
# The first match counts: resource_lambda_function.go and function_app_resource.go define resources. No file names of
# actions, because too many other files are named like them, such as rule_action.go.
SOURCE_FILE_PATTERNS = {
    category: re.compile(rf"(?:^|/)(?:{word}_(?P<a>[a-z0-9_]+)|(?P<b>[a-z0-9_]+)_{word})\.go$")
    for category, word in (
        ("data-sources", "data_source"),
        ("ephemeral-resources", "ephemeral_resource"),
        ("list-resources", "list_resource"),
        ("resources", "resource"),
        ("functions", "function"),
    )
}
# The registry's limits for a version: it omits further pages and truncates larger ones.
MAX_PAGES = 1000
MAX_PAGE_BYTES = 500_000
MAX_EVIDENCE_ITEMS = 10


def collect_pages(code: RepositorySnapshot) -> Mapping[str, dict[str, RepositoryFile]]:
    """Return the pages by category and name; "index" is the overview. The newer folder takes precedence."""
    root = next((root for root in DOCS_ROOTS if any(file.path.startswith(root) for file in code.files)), DOCS_ROOTS[0])
    pages: dict[str, dict[str, RepositoryFile]] = {key: {} for key in ("index", "guides", *DOCUMENTED_CATEGORIES)}
    for file in code.files:
        if file.path.startswith(root) and PAGE_SUFFIX_PATTERN.search(file.path):
            folder, _, page = file.path.removeprefix(root).rpartition("/")
            name = PAGE_SUFFIX_PATTERN.sub("", page)
            category = "index" if not folder and name == "index" else CATEGORY_BY_FOLDER.get(folder, "")
            if category:
                pages[category][name] = file
    return pages


def collect_documentable_names(code: RepositorySnapshot) -> Mapping[str, set[str]]:
    """Return the names of resources and other objects that Go file names show, by category."""
    names: dict[str, set[str]] = {category: set() for category in DOCUMENTED_CATEGORIES}
    names_before_list = set()
    for file in code.list_go_files():
        for category, pattern in SOURCE_FILE_PATTERNS.items():
            if match := pattern.search(file.path):
                if category == "list-resources" and match["b"]:
                    names_before_list.add(match["b"])
                else:
                    names[category].add(match["a"] or match["b"])
                # A file such as resource_data_source.go matches several patterns, but defines one thing.
                break
    for name in names_before_list:
        # A list resource has the name of a resource. Without one, ip_list_resource.go defines the resource ip_list.
        if name in names["resources"]:
            names["list-resources"].add(name)
        else:
            names["resources"].add(f"{name}_list")
    return names


@register_check("docs.layout", with_whole_code)
def check_docs_layout(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    pages = collect_pages(code)
    evidence = tuple(
        Evidence(category, str(len(category_pages))) for category, category_pages in pages.items() if category_pages
    )
    # Only a warning, because registry.docs fails if the registry shows no overview or no other pages.
    if not pages["index"]:
        return Result(Outcome.WARN, "docs/index.md is missing.", evidence)
    if not any(pages[thing] for thing in DOCUMENTED_CATEGORIES):
        summary = "The overview exists, but no resource or data source has a page."
        return Result(Outcome.WARN, summary, evidence)
    total = sum(len(pages[thing]) for thing in DOCUMENTED_CATEGORIES)
    summary = f"The documentation has an overview and {format_count(total, 'further page')}."
    return Result(Outcome.PASS, summary, evidence)


@register_check("docs.pages", with_whole_code)
def check_docs_pages(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    expected_names = collect_documentable_names(code)
    existing_pages = collect_pages(code)
    total = sum(map(len, expected_names.values()))
    # File names are a convention, not a rule, so their absence says nothing about missing pages.
    if not total:
        summary = "No Go file is named after a resource, so we couldn't compare files and pages."
        return Result(Outcome.NOT_RUN, summary)
    # Both files and pages can be named with or without the provider's name.
    documented_names = {
        category: {name for page in pages for name in list_page_names(page, subject.provider)}
        for category, pages in existing_pages.items()
    }
    missing = [
        f"{category}/{name}"
        for category, names in expected_names.items()
        for name in sorted(names)
        if not list_page_names(name, subject.provider) & documented_names[category]
    ]
    return build_pages_result(missing, total, code, sources)


def build_pages_result(missing: list[str], total: int, code: RepositorySnapshot, sources: Sources) -> Result:
    """Return the result for items of which some have no page."""
    if not missing:
        return Result(Outcome.PASS, f"All {total} items have a page." if total > 1 else "The only item has a page.")
    summary = f"{len(missing)} of {format_count(total, 'item')} {'has' if len(missing) == 1 else 'have'} no page."
    url = build_code_url(code, sources)
    evidence = tuple(Evidence("Missing page", name, url) for name in missing[:MAX_EVIDENCE_ITEMS])
    return Result(Outcome.WARN, summary, evidence)


def list_page_names(name: str, provider_name: str) -> set[str]:
    """Return the possible page names of an item, which usually omit the provider's name."""
    # A variant such as google-beta names its resources after the first word: google_compute_instance.
    return {name, name.removeprefix(f"{provider_name}_"), name.removeprefix(f"{provider_name.partition('-')[0]}_")}


@register_check("docs.limits", with_whole_code)
def check_docs_limits(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    pages = [file for category_pages in collect_pages(code).values() for file in category_pages.values()]
    large_files = [file for file in pages if file.size > MAX_PAGE_BYTES]
    evidence = tuple(
        Evidence(f"{file.size // 1000} KB", file.path, build_code_url(code, sources, file.path))
        for file in large_files[:MAX_EVIDENCE_ITEMS]
    )
    if not pages:
        return Result(Outcome.NOT_RUN, "The release has no documentation pages. Add them to docs/.")
    if len(pages) > MAX_PAGES:
        summary = f"The release has {len(pages)} pages. The registry accepts {MAX_PAGES} per version."
        return Result(Outcome.WARN, summary, evidence)
    if large_files:
        summary = f"{format_count(len(large_files), 'page is', 'pages are')} larger than 500 KB."
        return Result(Outcome.WARN, summary, evidence)
    summary = f"The release has {format_count(len(pages), 'page')}, none larger than 500 KB."
    return Result(Outcome.PASS, summary, evidence)


@register_check("docs.links", with_release_code)
def check_docs_links(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    overview = list(collect_pages(code)["index"].values())
    readme = [file for file in code.files if file.path.lower() == "readme.md"]
    addresses = dict.fromkeys(address for file in (*overview, *readme) for address in extract_links(code.open(file)))
    https_addresses = [address for address in addresses if address.startswith("https://")]
    # Unlike in listing.links, a broken link is a warning here, because the listing doesn't show these links.
    return check_links(sources, https_addresses, dead_outcome=Outcome.WARN)
