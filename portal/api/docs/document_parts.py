"""Parts of the API document that no operation or schema defines, from openapi.yaml."""

from dataclasses import dataclass

from portal.core.content_files import Content, load_content
from portal.core.value_types import JsonObject


@dataclass(frozen=True, slots=True)
class DocumentParts(Content):
    """Content of openapi.yaml: features without an operation, shared components, and example request bodies."""

    page_only_features: dict[str, str]
    components: dict[str, JsonObject]
    examples: dict[str, JsonObject]


PARTS = load_content("portal/api/docs/content/openapi.yaml", DocumentParts)
