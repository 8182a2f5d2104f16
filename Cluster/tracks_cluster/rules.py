"""Which mention gives an artist its number, name, id and image.

These rules are those of ``tracks-migrate migrate`` and ``import``. None of them depends on how tracks are divided among
shards, on the order in which shards arrive, or on whether one is read twice: that is what makes the result exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple


class Place(NamedTuple):
    """Where an artist is mentioned; places are ordered as the tracks and their artists are."""

    track: int
    position: int


@dataclass(frozen=True)
class Detail:
    """An id or an image, and the place of the mention that gives it."""

    place: Place
    value: str | None


@dataclass(frozen=True)
class Artist:
    """What some of the mentions of one artist say together."""

    first: Place
    name: str
    id: Detail | None
    image_url: Detail | None


class Mention(NamedTuple):
    """A line of ``tracks-migrate extract`` whose kind is ``mention``."""

    place: Place
    artist: str
    name: str
    id: str | None
    image_url: str | None
    is_fallback: bool


def artist_of(mention: Mention) -> Artist:
    """Return what a single mention says.

    A fallback is the track's ``artistName``: it gives the artist a name and a number, but neither an id nor an image.
    """
    if mention.is_fallback:
        return Artist(mention.place, mention.name, None, None)
    return Artist(
        mention.place,
        mention.name,
        Detail(mention.place, mention.id),
        Detail(mention.place, mention.image_url),
    )


def merged(one: Artist, other: Artist) -> Artist:
    """Return what two groups of mentions of the same artist say together, in whichever order they come."""
    first = min(one, other, key=lambda artist: artist.first)
    return replace(first, id=_better(one.id, other.id), image_url=_better(one.image_url, other.image_url))


def _better(one: Detail | None, other: Detail | None) -> Detail | None:
    """Return the first detail that says something, or else the first one: an empty text is less than any other."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda detail: (not detail.value, detail.place))


def artists_by_key(mentions: Iterable[Mention]) -> dict[str, Artist]:
    """Return the artists by what identifies them."""
    artists: dict[str, Artist] = {}
    for mention in mentions:
        artist = artist_of(mention)
        known = artists.get(mention.artist)
        artists[mention.artist] = artist if known is None else merged(known, artist)
    return artists


def numbered(artists: dict[str, Artist]) -> Iterator[tuple[int, str, Artist]]:
    """Number the artists from 1 on, by their first mention."""
    ranked = sorted(artists.items(), key=lambda item: item[1].first)
    for number, (key, artist) in enumerate(ranked, start=1):
        yield number, key, artist
