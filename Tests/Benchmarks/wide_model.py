#!/usr/bin/env python3
"""Writes a model of many entities with two versions; the second adds an attribute to each of them.

Usage: wide_model.py COUNT FOLDER.xcdatamodeld
"""
import os
import sys

count, folder = int(sys.argv[1]), sys.argv[2]


def contents(version):
    lines = [
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
        '<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">',
    ]
    for index in range(count):
        lines.append(f'<entity name="Entity{index}" representedClassName="Entity{index}" syncable="YES">')
        lines.append('<attribute name="name" optional="YES" attributeType="String"/>')
        lines.append('<attribute name="date" optional="YES" attributeType="Date"/>')
        if version == 2:
            lines.append('<attribute name="added" optional="YES" attributeType="String"/>')
        for name, inverse, step, many in [("next", "previous", 1, ""), ("previous", "next", -1, ' toMany="YES"')]:
            other = f"Entity{(index + step) % count}"
            bound = many or ' maxCount="1"'
            lines.append(
                f'<relationship name="{name}" optional="YES"{bound} deletionRule="Nullify" '
                f'destinationEntity="{other}" inverseName="{inverse}" inverseEntity="{other}"/>')
        lines.append("</entity>")
    return "\n".join(lines + ["</model>", ""])


for version, name in [(1, "Wide"), (2, "Wide 2")]:
    os.makedirs(f"{folder}/{name}.xcdatamodel")
    with open(f"{folder}/{name}.xcdatamodel/contents", "w", encoding="utf-8") as file:
        file.write(contents(version))
with open(f"{folder}/.xccurrentversion", "w", encoding="utf-8") as file:
    file.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>'
        "<key>_XCCurrentVersionName</key><string>Wide 2.xcdatamodel</string></dict></plist>\n")
