"""Help pages: glossary, system status, and getting started."""
