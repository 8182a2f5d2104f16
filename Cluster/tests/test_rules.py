"""The rules do not depend on the order of mentions, nor on how they are divided."""

from __future__ import annotations

import random

from tracks_cluster import rules
from tracks_cluster.rules import Mention, Place


def mention(track: int, position: int, **details: object) -> Mention:
    known: dict[str, object] = {"name": "Ann", "id": None, "image_url": None, "is_fallback": False} | details
    return Mention(place=Place(track, position), artist=str(known["name"]), **known)  # type: ignore[arg-type]


def only(*mentions: Mention) -> rules.Artist:
    (artist,) = rules.artists_by_key(mentions).values()
    return artist


def test_the_first_mention_gives_number_name_id_and_image() -> None:
    artist = only(mention(2, 0, id="b", image_url="B"), mention(1, 5, id="a", image_url="A"))
    assert artist.first == Place(1, 5)
    assert (artist.id and artist.id.value, artist.image_url and artist.image_url.value) == ("a", "A")


def test_what_the_first_lacks_comes_from_the_first_that_has_it() -> None:
    artist = only(mention(1, 0, id=""), mention(2, 0, image_url="B"), mention(3, 0, id="c", image_url="C"))
    assert (artist.id and artist.id.value, artist.image_url and artist.image_url.value) == ("c", "B")


def test_an_empty_text_stays_if_nothing_else_is_known() -> None:
    artist = only(mention(2, 0, id=None), mention(1, 0, id=""))
    assert artist.id is not None and artist.id.value == ""


def test_a_fallback_gives_a_number_and_no_details() -> None:
    artist = only(mention(1, 0, id="never", is_fallback=True), mention(3, 0, id="c"))
    assert artist.first == Place(1, 0)
    assert artist.id is not None and artist.id.value == "c"
    assert only(mention(1, 0, is_fallback=True)).id is None


def test_neither_order_nor_division_matters() -> None:
    generator = random.Random(5)
    for _ in range(300):
        mentions = [
            mention(
                track,
                0,
                name=generator.choice("ABC"),
                id=generator.choice([None, "", "x", "y"]),
                image_url=generator.choice([None, "", "i"]),
                is_fallback=generator.random() < 0.2,
            )
            for track in range(12)
        ]
        expected = list(rules.numbered(rules.artists_by_key(mentions)))
        generator.shuffle(mentions)
        parts = [rules.artists_by_key(mentions[start::3]) for start in range(3)]
        together: dict[str, rules.Artist] = {}
        for part in parts:
            for key, artist in part.items():
                together[key] = rules.merged(together[key], artist) if key in together else artist
        assert list(rules.numbered(together)) == expected
