"""The store's colour on its pages: readable in both themes, whatever was chosen."""

from __future__ import annotations

Rgb = tuple[float, float, float]

# Of text to its background, as WCAG 2 asks for at any size.
_MIN_CONTRAST = 4.5
_WHITE: Rgb = (1.0, 1.0, 1.0)
_BLACK: Rgb = (0.0, 0.0, 0.0)
# The background of the dark theme.
_NIGHT: Rgb = (0.09, 0.09, 0.12)
_STEPS = 20


def on_light(colour: str) -> str:
    """The colour, as dark as text on white must be."""
    return _readable(_parsed(colour), _WHITE, _BLACK)


def on_dark(colour: str) -> str:
    """The colour, as light as text on the dark theme must be."""
    return _readable(_parsed(colour), _NIGHT, _WHITE)


def explained(colour: str) -> str:
    """How the colour is used where it could not be read."""
    light, dark = on_light(colour), on_dark(colour)
    ratio = _contrast(_parsed(light), _WHITE)
    if light == colour.lower():
        return f"White on it: {ratio:.1f} to 1, readable. On dark pages it is {dark}."
    return f"Too light for white text: it is used as {light}, and as {dark} on dark pages."


def _readable(colour: Rgb, background: Rgb, target: Rgb) -> str:
    """Moved towards black or white until it can be read."""
    mixed = colour
    for step in range(_STEPS + 1):
        share = step / _STEPS
        mixed = (
            colour[0] + (target[0] - colour[0]) * share,
            colour[1] + (target[1] - colour[1]) * share,
            colour[2] + (target[2] - colour[2]) * share,
        )
        if _contrast(mixed, background) >= _MIN_CONTRAST:
            break
    return "#" + "".join(f"{round(part * 255):02x}" for part in mixed)


def _parsed(colour: str) -> Rgb:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def _contrast(one: Rgb, other: Rgb) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
