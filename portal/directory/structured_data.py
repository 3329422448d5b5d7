"""JSON-LD for search engines, escaped so that it cannot close its script element."""

import json
from collections.abc import Iterable, Mapping

from django.utils.safestring import SafeString, mark_safe

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from portal.core.site_urls import build_absolute_url
from portal.directory.listing_content import ListingContent
from portal.directory.models import Listing

JSON_ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def build_software_application(row: Listing, content: ListingContent) -> SafeString:
    """Return a listing as a schema.org SoftwareApplication, or an empty string if it is no longer listed."""
    # Search engines must not recommend what the program no longer lists.
    if row.is_unlisted:
        return SafeString("")
    systems = sorted({platform.partition("_")[0] for platform in row.platforms.split()})
    page = build_absolute_url("directory:listing", row.uuid)
    data: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "SoftwareApplication",
        "@id": page,
        "url": page,
        "name": row.name,
        "description": row.summary,
        "applicationCategory": "DeveloperApplication",
        "applicationSubCategory": PROGRAMS[row.program].name,
        "operatingSystem": ", ".join(systems),
        "softwareVersion": row.version,
        "datePublished": f"{row.listed_at:%Y-%m-%d}",
        "dateModified": f"{row.changed_at:%Y-%m-%d}",
        "image": build_absolute_url("directory:logo", row.uuid) if row.has_logo else "",
        "sameAs": content.row.homepage,
        "publisher": {
            "@type": "Organization",
            "name": row.publisher,
            "url": build_absolute_url("directory:partner", row.publisher_slug),
        },
    }
    return _serialize_json_ld(data)


def build_item_list(rows: Iterable[Listing], first_position: int) -> SafeString:
    """Return a directory page as a schema.org ItemList. `first_position` is the position of its first listing."""
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "name": row.name,
            "url": build_absolute_url("directory:listing", row.uuid),
        }
        for position, row in enumerate(rows, first_position)
    ]
    return _serialize_json_ld({"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items})


def build_organization(partner: Partner, rows: Iterable[Listing]) -> SafeString:
    """Return a partner as a schema.org Organization with its listings."""
    page = build_absolute_url("directory:partner", partner.slug)
    listings = (build_absolute_url("directory:listing", row.uuid) for row in rows)
    data = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "@id": page,
        "url": page,
        "name": partner.name,
        "sameAs": partner.website,
        "owns": [{"@type": "SoftwareApplication", "@id": listing_url} for listing_url in listings],
    }
    return _serialize_json_ld(data)


def _serialize_json_ld(data: Mapping[str, object]) -> SafeString:
    non_empty_data = {key: value for key, value in data.items() if value}
    # A name such as “</script>” would end the element, because json.dumps leaves it as it is.
    return mark_safe(json.dumps(non_empty_data, ensure_ascii=False).translate(JSON_ESCAPES))  # noqa: S308 - escaped above
