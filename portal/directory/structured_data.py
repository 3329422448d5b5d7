"""What do search engines read of a listing, a company, the directory? JSON-LD that cannot end its own element."""

import json
from collections.abc import Iterable
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from portal.directory.listing_content import Face
from portal.directory.models import Listing
from portal.directory.search import GONE, absolute

ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def structured(row: Listing, face: Face) -> SafeString:
    """The listing as schema.org's SoftwareApplication; blank for what is no longer listed."""
    if row.standing in GONE:
        return SafeString("")
    systems = sorted({platform.partition("_")[0] for platform in row.platforms.split()})
    page = absolute(reverse("listing", args=[row.uuid]))
    told: dict[str, Any] = {
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
        "image": absolute(reverse("listing_logo", args=[row.uuid])) if row.has_logo else "",
        "sameAs": face.row.homepage,
        "publisher": {
            "@type": "Organization",
            "name": row.publisher,
            "url": absolute(reverse("partner_page", args=[row.publisher_slug])),
        },
    }
    return _written(told)


def item_list(rows: Iterable[Listing], first: int) -> SafeString:
    """A page of the directory as schema.org's ItemList; `first` is the place of its first row among all."""
    items = [
        {"@type": "ListItem", "position": place, "name": row.name, "url": absolute(reverse("listing", args=[row.uuid]))}
        for place, row in enumerate(rows, first)
    ]
    return _written({"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items})


def organization(partner: Partner, rows: Iterable[Listing]) -> SafeString:
    """A company as schema.org's Organization, with what it has listed now."""
    page = absolute(reverse("partner_page", args=[partner.slug]))
    listings = (absolute(reverse("listing", args=[row.uuid])) for row in rows)
    told = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "@id": page,
        "url": page,
        "name": partner.name,
        "sameAs": partner.website,
        "owns": [{"@type": "SoftwareApplication", "@id": each} for each in listings],
    }
    return _written(told)


def _written(told: dict[str, Any]) -> SafeString:
    kept = {key: value for key, value in told.items() if value}
    return mark_safe(json.dumps(kept, ensure_ascii=False).translate(ESCAPES))  # noqa: S308 - escaped above
