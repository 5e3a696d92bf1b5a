"""A QR code as what an SVG's path says, so that the page needs no picture from elsewhere."""

from dataclasses import dataclass

import qrcode


@dataclass(frozen=True)
class Drawn:
    """``path`` fills the dark squares of a drawing of ``size`` by ``size``, with the quiet border in it."""

    size: int
    path: str


def drawn(text: str) -> Drawn:
    code = qrcode.QRCode(border=4, error_correction=qrcode.constants.ERROR_CORRECT_M)
    code.add_data(text)
    matrix = code.get_matrix()
    runs = []
    for y, row in enumerate(matrix):
        x = 0
        while x < len(row):
            width = 0
            while x + width < len(row) and row[x + width]:
                width += 1
            if width:
                runs.append(f"M{x} {y}h{width}v1h-{width}z")
            x += width or 1
    return Drawn(len(matrix), "".join(runs))
