"""What executed actions did, told from the table as it was found; and that in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import dist

from journeyman.models.standin_tabletop.errands import Errand, Point, Table, bare, errand
from journeyman.models.standin_tabletop.prompts import entities, matches

REACH_M = 0.06
"""A grip so near to where a thing lies is meant for it."""
NEAR_M = 0.1

_ACTION = re.compile(
    r"(PickPlace|PickRotate)\(pick_location=\[([-\d.e]+), ([-\d.e]+)\], "
    r"(?:place_location=\[([-\d.e]+), ([-\d.e]+)\]|angle_deg=([-\d.e]+))\)"
)


@dataclass(frozen=True)
class Deed:
    """One action.

    Attributes:
        thing: The entity that was gripped, 0 where nothing lies.
        onto: The entity that lay where it was put, 0 for none.
        shown: Whether it was put where a pictured scene shows it.
        home: Whether it was put where it lay in the beginning.
        angle_deg: Of a rotation, clockwise; None for a move.
    """

    thing: int
    pick: Point
    place: Point
    onto: int = 0
    shown: bool = False
    home: bool = False
    angle_deg: float | None = None


def table(environment: str) -> Table:
    """The table of an ``## Environment`` section."""
    found = entities(environment)
    return Table(
        {e.number: e.location for e in found if e.location is not None},
        {e.number: e.area for e in found},
        tuple(matches(environment)),
    )


def deeds(actions: str, on: Table) -> list[Deed]:
    """What the actions written in a text did."""
    where = dict(on.places)
    done = []
    for _, x, y, to_x, to_y, angle in _ACTION.findall(actions):
        pick = (float(x), float(y))
        thing = _nearest(pick, where, REACH_M, last=True)
        if angle:
            done.append(Deed(thing, pick, pick, angle_deg=float(angle)))
            continue
        place = (float(to_x), float(to_y))
        others = {number: at for number, at in where.items() if number != thing}
        onto = _nearest(place, others, REACH_M)
        shown = any(
            made.entity == thing and made.shown is not None and dist(made.shown, place) < REACH_M
            for made in on.matches
        )
        home = thing in on.places and dist(on.places[thing], place) < REACH_M
        done.append(Deed(thing, pick, place, onto, shown, home))
        if thing:
            where = {**others, thing: place}  # the thing moved last lies on top
    return done


def _nearest(point: Point, where: dict[int, Point], reach: float, *, last: bool = False) -> int:
    near = [n for n, at in where.items() if dist(at, point) < reach]
    if not near:
        return 0
    return near[-1] if last else min(near, key=lambda n: dist(where[n], point))


def told(done: list[Deed], on: Table) -> str:
    """The instruction that the deeds carry out."""
    if not done:
        return "Do nothing."
    said: list[str] = []
    if any(not deed.thing for deed in done):
        said.append("Grip where nothing lies.")
    real = [deed for deed in done if deed.thing]
    for deed in real:
        if deed.angle_deg is not None:
            sense = "clockwise" if deed.angle_deg >= 0 else "counter-clockwise"
            said.append(f"Rotate {_the(deed.thing, on)} {abs(deed.angle_deg):g} degrees {sense}.")
    moves = [deed for deed in real if deed.angle_deg is None]
    if any(made.shown is not None for made in on.matches):
        said += _rearranged(moves, on)
    else:
        said += _put(moves, on)
    return " ".join(said)


def _put(moves: list[Deed], on: Table) -> list[str]:
    said: list[str] = []
    for thing in dict.fromkeys(deed.thing for deed in moves):
        mine = [deed for deed in moves if deed.thing == thing]
        back = len(mine) > 1 and mine[-1].home
        places = [
            _the(deed.onto, on) if deed.onto else "a free place"
            for deed in (mine[:-1] if back else mine)
        ]
        said.append(f"Put {_the(thing, on)} into {' then '.join(places)}.")
        if back:
            said.append("Finally restore it into its original container.")
    return said


def _rearranged(moves: list[Deed], on: Table) -> list[str]:
    scene = next(m.name.strip("{}").partition("/")[0] for m in on.matches if m.shown is not None)
    wanted = [number for number, _ in on.shown(scene)]
    placed = [deed for deed in moves if deed.shown]
    away = [d.thing for d in moves if d.thing not in wanted and not d.shown]
    there = {deed.thing for deed in placed}
    there |= {n for n, at in on.shown(scene) if n in on.places and dist(on.places[n], at) < 0.05}
    said = []
    left = [_the(number, on) for number in wanted if number not in there]
    back = {deed.thing for deed in moves if deed.home}
    restored = bool(placed) and {deed.thing for deed in placed} <= back
    words = f"Rearrange to this {{{scene}}}" + (" and then restore" if restored else "")
    blocked = [f"Entity {d.onto}" for d in placed if d.onto and d.onto not in away]
    if blocked:
        words += f", onto {', '.join(blocked)} that lies there"
    if left and placed:
        words += f", but {', '.join(left)} stays"
    if placed or not moves:
        said.append(words + ".")
    else:
        said.append("Move things to places that the picture does not show.")
    return said


def _the(number: int, on: Table) -> str:
    name = on.names.get(number, f"Entity {number}")
    return f"the {name}"


def same_errand(original: str, regenerated: str) -> tuple[bool, str]:
    """Whether two instructions ask for the same, and why."""
    one, other = errand(original), errand(regenerated)
    for sign, why in (
        ("nothing lies", "it grips where nothing lies"),
        ("that lies there", "something that lies in the place is left there"),
        (" stays", "not every object is moved"),
        ("does not show", "the places are not those of the picture"),
        ("free place", "it is put where nothing was asked for"),
    ):
        if sign in regenerated:
            return False, f"They differ: {why}."
    if one.kind != other.kind:
        return False, "They ask for different things to be done."
    if one.kind == "rotate" and one.angle_deg != other.angle_deg:
        return False, "The sense or the size of the turn differs."
    if one.kind == "put" and one.places != other.places:
        if sorted(one.places) == sorted(other.places):
            return False, "The order of the places differs."
        if other.places == (one.thing,):
            return False, "The object and the place are swapped."
        return False, "The places differ."
    if one.thing != other.thing:
        return False, "Another thing is handled."
    if one.restore != other.restore:
        return False, "The restoring at the end differs."
    return True, "Both ask for the same."


def broken(goal: Errand, done: list[Deed], on: Table) -> list[str]:
    """The planner's rules that the deeds break, the surest first."""
    found: list[str] = []
    if goal.kind == "rotate":
        turned = [d.angle_deg for d in done if d.angle_deg is not None]
        if turned and turned[0] != goal.angle_deg:
            found.append("clockwise")
        return found
    words = told(done, on)
    if "nothing lies" in words or "does not show" in words:
        found.append("source")
    if "that lies there" in words:
        found.append("blocker")
    if " stays" in words:
        found.append("all_objects")
    if goal.kind == "put":
        made = errand(words)
        if made.places and len(goal.places) > 1:
            both = [place for place in made.places if place in goal.places]
            if both and both[0] != goal.places[0]:
                found.append("order")
        elif bare(goal.thing) in made.places:
            found.append("object_to_base")
    cut_off = bool(goal.places) and len(done) < len(goal.places)
    if goal.restore and not cut_off and not any(d.home for d in done):
        found.append("restore")
    return found
