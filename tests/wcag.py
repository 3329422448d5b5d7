"""Contrast of two colors by WCAG 2."""

LinearColor = tuple[float, float, float]  # linear sRGB from 0 to 1


def decode_hex(color: str) -> LinearColor:
    """Return a color such as "#1a2b3c" as linear sRGB."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return red, green, blue


def compute_luminance(color: LinearColor) -> float:
    """Return the relative luminance. Values that rounding moved out of the gamut are cut off."""
    red, green, blue = (min(1, max(0, value)) for value in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(one: LinearColor, other: LinearColor) -> float:
    """Return the contrast ratio, from 1 to 21."""
    low, high = sorted((compute_luminance(one), compute_luminance(other)))
    return (high + 0.05) / (low + 0.05)
