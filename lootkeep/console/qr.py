"""QR codes (ISO 18004) as SVG: the bytes of a text, at error correction level M and with mask 0."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate, groupby, zip_longest
from math import isqrt

# Of each version from 1 to 20: the bytes of error correction in a block, and the number of blocks.
_CORRECTION = (10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26)
_BLOCKS = (1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16)
_BYTE_MODE = 0b0100
_PADDING = (0xEC, 0x11)
_QUIET_ZONE = 4
_SCALE = 4
# Level M and mask 0, with their error correction.
_FORMAT = 0b101010000010010

# The powers of 2 in the field of 256 elements, and which power each element is.
_POWERS = list(accumulate(range(254), lambda power, _: power << 1 ^ (power >> 7) * 0x11D, initial=1))
_EXPONENTS = {power: exponent for exponent, power in enumerate(_POWERS)}

Modules = dict[tuple[int, int], bool]


def svg(text: str) -> str:
    """Without styles, which the Content-Security-Policy forbids; nothing for a text that is too long to scan."""
    modules = draw(text)
    if not modules:
        return ""
    count = isqrt(len(modules))
    size = count + 2 * _QUIET_ZONE
    dark = "".join(_line(modules, y, count) for y in range(count))
    # On white in a dark theme, too.
    return (
        f'<svg viewBox="0 0 {size} {size}" width="{size * _SCALE}" height="{size * _SCALE}" '
        f'shape-rendering="crispEdges"><path fill="#fff" d="M0 0h{size}v{size}h-{size}z"/>'
        f'<path stroke="#000" d="{dark}"/></svg>'
    )


def _line(modules: Modules, y: int, count: int) -> str:
    """A stroke for each run of dark modules in a row."""
    line, start = "", _QUIET_ZONE
    for is_dark, run in groupby(modules[x, y] for x in range(count)):
        length = len(list(run))
        line += f"M{start} {y + _QUIET_ZONE}.5h{length}" if is_dark else ""
        start += length
    return line


def draw(text: str) -> Modules:
    """Whether each module is dark, by column and row."""
    content = text.encode()
    version = next((number for number in range(1, len(_BLOCKS) + 1) if len(content) <= _capacity(number)), None)
    if version is None:
        return {}
    modules, size = _patterns(version), 4 * version + 17
    bits = (byte >> shift & 1 for byte in _codewords(content, version) for shift in range(7, -1, -1))
    # Two columns at a time, up and down in turn; the column of the timing pattern is left out.
    for right in [*range(size - 1, 6, -2), 5, 3, 1]:
        rows = range(size) if (right + 1) & 2 else range(size - 1, -1, -1)
        for y in rows:
            for x in (right, right - 1):
                if (x, y) not in modules:
                    modules[x, y] = bool(next(bits, 0)) ^ ((x + y) % 2 == 0)
    return modules


def _capacity(version: int) -> int:
    return _data_bytes(version) - (2 if version < 10 else 3)


def _data_bytes(version: int) -> int:
    return _all_bytes(version) - _CORRECTION[version - 1] * _BLOCKS[version - 1]


def _all_bytes(version: int) -> int:
    modules = (16 * version + 128) * version + 64
    if version > 1:
        count = version // 7 + 2
        modules -= (25 * count - 10) * count - 55
    return (modules - (36 if version > 6 else 0)) // 8


def _codewords(content: bytes, version: int) -> list[int]:
    """The content with its length, padded, in blocks that are interleaved, each with its error correction."""
    width = 8 if version < 10 else 16
    number = (_BYTE_MODE << width | len(content)) << 8 * len(content) | int.from_bytes(content)
    size = _data_bytes(version)
    # Four bits of the mode and four that end the text make a byte.
    data = list((number << 4).to_bytes(1 + width // 8 + len(content)))
    data += [_PADDING[index % 2] for index in range(size - len(data))]
    count = _BLOCKS[version - 1]
    blocks, start = [], 0
    for index in range(count):
        end = start + size // count + (index >= count - size % count)
        blocks.append(data[start:end])
        start = end
    corrections = [_remainder(block, _CORRECTION[version - 1]) for block in blocks]
    columns = [*zip_longest(*blocks), *zip(*corrections, strict=True)]
    return [byte for column in columns for byte in column if byte is not None]


def _remainder(block: list[int], degree: int) -> list[int]:
    """Reed-Solomon: what is left of the block, divided by the polynomial with the first powers of 2 as roots."""
    divisor = [0] * (degree - 1) + [1]
    root = 1
    for _ in range(degree):
        divisor = [_product(a, root) ^ b for a, b in zip(divisor, [*divisor[1:], 0], strict=True)]
        root = _product(root, 2)
    result = [0] * degree
    for byte in block:
        factor = byte ^ result[0]
        result = [a ^ _product(b, factor) for a, b in zip([*result[1:], 0], divisor, strict=True)]
    return result


def _product(a: int, b: int) -> int:
    """In the field of 256 elements."""
    return _POWERS[(_EXPONENTS[a] + _EXPONENTS[b]) % 255] if a and b else 0


def _patterns(version: int) -> Modules:
    """What every code of this version has, for scanners to find it."""
    size, modules = 4 * version + 17, {}
    for index in range(size):
        modules[6, index] = modules[index, 6] = index % 2 == 0
    for x, y in ((3, 3), (size - 4, 3), (3, size - 4)):
        _square(modules, x, y, 4, size)
    last, positions = size - 7, _alignment(version)
    for x in positions:
        for y in positions:
            if (x, y) not in ((6, 6), (6, last), (last, 6)):
                _square(modules, x, y, 2, size)
    for index in range(15):
        bit = bool(_FORMAT >> index & 1)
        modules[8, index + (index > 5) if index < 8 else size - 15 + index] = bit
        modules[size - 1 - index if index < 8 else 14 - index + (index < 9), 8] = bit
    modules[8, size - 8] = True
    if version > 6:
        bits = reduce(lambda rest, _: rest << 1 ^ (rest >> 11) * 0x1F25, range(12), version) | version << 12
        for index in range(18):
            x, y = size - 11 + index % 3, index // 3
            modules[x, y] = modules[y, x] = bool(bits >> index & 1)
    return modules


def _square(modules: Modules, x: int, y: int, radius: int, size: int) -> None:
    """Squares in each other; that of a finder has a light one around it."""
    for row in range(max(0, y - radius), min(size, y + radius + 1)):
        for column in range(max(0, x - radius), min(size, x + radius + 1)):
            distance = max(abs(column - x), abs(row - y))
            modules[column, row] = distance not in ((2, 4) if radius == 4 else (1,))


def _alignment(version: int) -> list[int]:
    if version == 1:
        return []
    count = version // 7 + 2
    step = (version * 8 + count * 3 + 5) // (count * 4 - 4) * 2
    return [6, *(4 * version + 10 - step * index for index in range(count - 1))]
