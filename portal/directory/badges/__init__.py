"""Embeddable badges of a listing: the image, its machine-readable form, and its signed statement."""
