"""REST API below /api/ with tokens, rate limits, and an OpenAPI document."""
