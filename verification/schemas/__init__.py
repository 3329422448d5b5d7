"""Provider schemas: history, comparison, and Crossplane previews."""
