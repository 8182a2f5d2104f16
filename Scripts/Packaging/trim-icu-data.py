#!/usr/bin/env python3
"""Writes a package of ICU's data with only what the command can use.

Foundation brings the data of all languages, 34 MB. What is left out is what only formatting for people,
transliteration, old character sets and the segmentation of Asian scripts ask for: the command formats numbers
itself and reads UTF-8.

usage: trim-icu-data.py FULL TRIMMED
source: the layout of "CmnD" packages, ICU's common/ucmndata.h
"""

import re
import struct
import sys
from pathlib import Path

# Languages other than the root and English, in folders or not.
LANGUAGE = re.compile(r"^(?:[a-z]+/)?(?!root\b|en\b|pool\b|res_index\b)[a-z]{2,3}(?:_[A-Za-z0-9_]+)?\.res$")
OTHERS = re.compile(r"\.(?:cnv|dict|spp|cfu)$|^(?:translit|rbnf|curr|lang|region|unit|zone)/|^brkitr/line_")


def trimmed(package: bytes) -> bytes:
    """Returns the package without what nothing asks for."""
    (header_size,) = struct.unpack_from("<H", package, 0)
    if package[2:4] != b"\xda\x27" or package[12:16] != b"CmnD":
        raise SystemExit("trim-icu-data.py: this is no package of ICU's data")
    header, body = package[:header_size], package[header_size:]
    (count,) = struct.unpack_from("<I", body, 0)
    places = [struct.unpack_from("<II", body, 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in places[1:]] + [len(body)]
    kept = []
    for (name_start, start), end in zip(places, ends, strict=True):
        name = body[name_start : body.index(b"\0", name_start)]
        item = name.decode().split("/", 1)[1]
        if not LANGUAGE.match(item) and not OTHERS.search(item):
            kept.append((name, body[start:end]))
    names = b"".join(name + b"\0" for name, _ in kept)
    table_size = 4 + 8 * len(kept)
    table, contents = [struct.pack("<I", len(kept))], b""
    name_start = table_size
    # Items begin at multiples of 16 bytes of the whole.
    start = -(-(header_size + table_size + len(names)) // 16) * 16 - header_size
    gap = start - table_size - len(names)
    for name, data in kept:
        table.append(struct.pack("<II", name_start, start + len(contents)))
        name_start += len(name) + 1
        contents += data + b"\0" * (-len(data) % 16)
    return header + b"".join(table) + names + b"\0" * gap + contents


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(trimmed(Path(sys.argv[1]).read_bytes()))
