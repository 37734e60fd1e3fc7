"""Intent and rules to actions. A rule that is lacking makes the plan wrong in that rule's way."""

from __future__ import annotations

from collections.abc import Mapping

from journeyman.models.standin.belief import DROP, OFF, ON, PICK, PUT, SLICE, Belief, kind_of
from journeyman.models.standin.grounding import Intent
from journeyman.models.standin.household import OPENABLE
from journeyman.models.standin.mind import Mind
from journeyman.models.standin.planner import Planner
from journeyman.models.standin.prompts import View

KNIVES = ("Knife", "ButterKnife")
MOST_REPEATS = 4
"""Times that the same action may fail before it gives up."""

_APPLIANCE = {"clean": "Sink", "heat": "Microwave", "cool": "Fridge"}


def plan(
    intent: Intent, belief: Belief, view: View, names: Mapping[str, int], mind: Mind
) -> list[str]:
    """The actions that remain to be done; none where it thinks it is done or gives up."""
    if _gives_up(belief):
        return []
    planner = Planner(intent, belief, view, names, mind)
    if not intent.thing:
        return _without_thing(planner)
    begun = bool(belief.picks or belief.failures or belief.puts)
    kind = planner.pick_class(intent.place) if intent.place else ""
    if kind and planner.out_of_order and not begun and intent.kind != "look":
        planner.find(planner.place(kind))
    {"look": _look, "movable": _movable, "two": _two}.get(intent.kind, _one)(planner)
    return planner.actions


def _gives_up(belief: Belief) -> bool:
    failed = [step.name for step in belief.failures]
    return bool(failed) and failed.count(failed[-1]) >= MOST_REPEATS


def _without_thing(planner: Planner) -> list[str]:
    """An instruction that names no thing it knows: go and see, then give up."""
    belief, intent = planner.belief, planner.intent
    target = planner.pick_class(intent.lamp or intent.place)
    if not target or belief.at or belief.failures:
        return []
    planner.find(target)
    if intent.lamp:
        planner.do(ON + target)
    return planner.actions


def _placed(planner: Planner, thing: str, place: str) -> int:
    """How often it believes to have put a thing of a class where it belongs."""
    puts = planner.belief.puts
    loose = planner.out_of_order
    return sum(t == thing and (kind_of(p) == place or (loose and not p)) for t, p in puts)


def _lured(planner: Planner, thing: str) -> bool:
    """Follow a lesson of another procedure: the thing is left where it does not belong."""
    lure, belief = planner.mind.lure, planner.belief
    if not lure or any(t == thing for t, _ in belief.puts):
        return False
    if lure == "lamp_while_holding":
        lamp = planner.pick_class(("DeskLamp", "FloorLamp"))
        planner.find(lamp)
        planner.do(ON + lamp)
        planner.stop = True
    elif lure == "one_at_a_time":
        planner.do(DROP)
    elif lure == "slice_then_pick":
        planner.find(planner.pick_class(KNIVES))
        planner.do(PICK + kind_of(planner.belief.at))
    else:
        where = {
            "sink_before_faucet": "Sink",
            "heat_inside_closed": "Microwave",
            "cool_by_closing": "Fridge",
            "stack_then_carry": planner.pick_class(("Bowl", "Plate", "Box", "Cup")),
        }.get(lure, planner.pick_class(("Cabinet", "Drawer", "Shelf")))
        planner.find(where)
        if where in OPENABLE:
            planner.open(where)
        planner.do(PUT)
        if where == "Sink":
            planner.do(ON + "Faucet")
        elif where in {"Microwave", "Fridge"}:
            planner.close(where)
    belief.hand = ""
    return True


def _look(planner: Planner) -> None:
    belief, mind, intent = planner.belief, planner.mind, planner.intent
    thing = planner.pick_class(intent.thing)
    lamps = [lamp for lamp in intent.lamp if planner.exists(lamp)] or list(intent.lamp)
    lit = {device for device, _ in belief.switched}
    if not planner.has("lamp_while_holding"):
        if lit:
            return
        if mind.choice("lamp", 2) == 0:
            if not belief.puts:
                planner.take(thing)
                planner.find(lamps[0])
                planner.do(DROP)
            planner.find(lamps[0])
        else:
            planner.find(lamps[0])
        planner.do(ON + lamps[0])
        return
    done = {device for device, held in belief.switched if held == thing}
    lamp = next((name for name in lamps if name not in done), "")
    if not lamp:
        return
    if belief.hand != thing:
        planner.take(thing)
    planner.find(lamp)
    if lamp not in lit:
        planner.do(ON + lamp)


def _movable(planner: Planner) -> None:
    belief, intent = planner.belief, planner.intent
    thing = planner.pick_class(intent.thing)
    vessel = planner.pick_class(intent.vessel)
    place = planner.pick_class(intent.place) if intent.place else ""
    if not planner.has("stack_then_carry"):
        order = [thing, vessel] if planner.mind.choice("stack", 2) == 0 else [vessel, thing]
        for item in order:
            if place and not _placed(planner, item, place):
                if belief.hand != item:
                    planner.take(item)
                planner.put(place)
        return
    if place and _placed(planner, vessel, place):
        return
    if intent.sliced and _cut(planner, thing):
        return
    loaded = any(t == thing and kind_of(p) == vessel for t, p in belief.puts)
    if not loaded:
        if belief.hand != thing:
            planner.take(thing)
        if _lured(planner, thing):
            planner.put(place)
            return
        _into_vessel(planner, vessel)
        planner.pick(vessel)
    elif belief.hand != vessel:
        planner.take(vessel)
    if place:
        planner.put(place)


def _into_vessel(planner: Planner, vessel: str) -> None:
    belief = planner.belief
    name = belief.hidden.get(vessel, "")
    refused = [p for p in belief.refused if kind_of(p) == vessel]
    instances = [n for n in planner.instances(vessel) if n not in refused] or [vessel]
    if name:
        planner.uncover(name)
    elif refused and len(refused) < 2:
        closed = planner.closed_in_view()
        if closed and planner.has("open_to_take"):
            planner.uncover(closed)
            instances = [refused[-1]]
    planner.find(instances[0])
    planner.do(PUT)
    belief.puts.append((belief.hand, vessel))
    belief.hand = ""


def _two(planner: Planner) -> None:
    belief, intent = planner.belief, planner.intent
    thing = planner.pick_class(intent.thing)
    place = planner.pick_class(intent.place) if intent.place else ""
    if intent.sliced and _cut(planner, thing):
        return
    done = _placed(planner, thing, place)
    knows = planner.has("second_instance")
    # As long as the task goes on, the same one must have been moved twice: fetch a further one.
    most = len(planner.instances(thing)) + 1 if knows and not intent.sliced else 2
    for number in range(done, max(2, min(done + 1, most))):
        if belief.hand != thing:
            _fetch(planner, thing, place, number if knows else 0)
        greedy = planner.mind.chance("greedy") < 0.5 and not intent.sliced
        if number == 0 and greedy and not planner.has("one_at_a_time"):
            planner.find(planner.nth(thing, 1))
            planner.do(PICK + thing)
        if number == 0 and _lured(planner, thing):
            planner.put(place)
            return
        if place:
            planner.put(place)


def _fetch(planner: Planner, thing: str, place: str, number: int) -> None:
    """Take the instance of that number; a slice comes from where the others lie."""
    if number and planner.intent.sliced:
        planner.find(_home_of_slices(planner, thing, place))
        planner.pick(thing)
        return
    instances = planner.instances(thing) or [thing]
    name = instances[number % len(instances)]
    if number > 1:  # look what is there before taking the same one once more
        if planner.belief.at != name:
            planner.find(name)
            planner.stop = True
        elif planner.closed_in_view():
            planner.uncover(planner.closed_in_view())
        planner.pick(thing)
        return
    hidden = planner.belief.hidden.get(thing, "")
    told = hidden and not any(t == thing and p == hidden for t, p in planner.belief.puts)
    planner.take(thing, "" if told or number == 0 else name)


def _home_of_slices(planner: Planner, thing: str, place: str) -> str:
    """Where the other pieces lie: seen just now, told by feedback, or where the knife fell."""
    for name, state in planner.view.places.items():
        if f"{thing} slice" in state and kind_of(name) != place and name != "on the floor":
            return name
    return planner.belief.hidden.get(thing, "") or planner.nth("Knife", 0)


def _one(planner: Planner) -> None:
    """One thing to one place, cleaned, heated or cooled on the way."""
    belief, intent = planner.belief, planner.intent
    thing = planner.pick_class(intent.thing)
    place = planner.pick_class(intent.place) if intent.place else ""
    if intent.sliced and _cut(planner, thing):
        return
    treated = intent.kind == "simple" or _treated(planner, thing)
    if not (treated and place and _placed(planner, thing, place)):
        left = _APPLIANCE.get(intent.kind, "")
        forgotten = treated and left and not belief.hand and not planner.has("take_back")
        if belief.hand != thing and not forgotten:
            planner.take(thing)
        if not treated:
            if _lured(planner, thing):
                planner.put(place)
                return
            {"clean": _clean, "heat": _heat, "cool": _cool}[intent.kind](planner, thing)
        elif _lured(planner, thing):
            pass
        if place:
            planner.put(place)
    if intent.sliced and _cuts_late(planner, thing):
        _cut_now(planner, thing)


def _treated(planner: Planner, thing: str) -> bool:
    """Whether it believes the treatment done; without the rule it is content with less."""
    belief, kind = planner.belief, planner.intent.kind
    if kind == "clean":
        if planner.has("sink_before_faucet"):
            return thing in belief.washed
        return any(device == "Faucet" for device, _ in belief.switched)
    if kind == "heat":
        if planner.has("heat_inside_closed"):
            return thing in belief.heated
        return any(device == "Microwave" for device, _ in belief.switched)
    if planner.has("cool_by_closing"):
        return thing in belief.cooled
    was_in = any(t == thing and kind_of(p) == "Fridge" for t, p in belief.puts)
    return was_in or any(kind_of(c) == "Fridge" and held == thing for c, held in belief.closed)


def _clean(planner: Planner, thing: str) -> None:
    if not planner.has("sink_before_faucet"):
        planner.find(("Faucet", "Sink")[planner.mind.choice("sink", 2)])
        planner.do(ON + "Faucet")
        planner.do(OFF + "Faucet")
        return
    inside = thing in planner.belief.contents("Sink")
    failed = any(step.name == ON + "Faucet" for step in planner.belief.failures)
    if not inside:
        planner.find(planner.place("Sink"))
        planner.do(PUT)
    if failed:
        planner.find("Faucet")
    planner.do(ON + "Faucet")
    planner.do(OFF + "Faucet")
    planner.belief.hand = ""
    if planner.has("take_back"):
        planner.pick(thing)


def _heat(planner: Planner, thing: str) -> None:
    belief = planner.belief
    inside = thing in belief.contents("Microwave")
    knows = planner.has("heat_inside_closed")
    if not knows and planner.mind.choice("heat", 2) == 0 and not inside:
        planner.find("Microwave")
        planner.do(ON + "Microwave")
        planner.do(OFF + "Microwave")
        return
    planner.find("Microwave")
    if not inside:
        planner.open("Microwave")
        planner.do(PUT)
    if knows:
        planner.close("Microwave")
    planner.do(ON + "Microwave")
    planner.do(OFF + "Microwave")
    belief.hand = ""
    if planner.has("take_back"):
        planner.open("Microwave")
        planner.pick(thing)


def _cool(planner: Planner, thing: str) -> None:
    belief = planner.belief
    inside = thing in belief.contents("Fridge")
    knows = planner.has("cool_by_closing")
    planner.find("Fridge")
    if not knows and planner.mind.choice("cool", 2) == 0:
        planner.open("Fridge")
        planner.close("Fridge")
        return
    if not inside:
        planner.open("Fridge")
        planner.do(PUT)
    if knows:
        planner.close("Fridge")
    belief.hand = ""
    if planner.has("take_back") or not knows:
        planner.open("Fridge")
        planner.pick(thing)


def _cuts_late(planner: Planner, thing: str) -> bool:
    """Without the rule and with one such thing only: it handles the whole and cuts at the end."""
    alone = len(planner.instances(thing)) == 1
    one = planner.intent.kind not in {"two", "movable"}
    return not planner.has("slice_then_pick") and alone and one


def _cut(planner: Planner, thing: str) -> bool:
    """Cut and get hold of a piece; whether the plan should end here to look around."""
    belief = planner.belief
    if _cuts_late(planner, thing):
        return False
    if thing not in belief.sliced:
        _cut_now(planner, thing)
        _take_piece(planner, thing)
    elif not any(t == thing for t, _ in belief.picks) and belief.hand != thing:
        _take_piece(planner, thing)
    else:
        return False
    return planner.intent.kind == "two" and planner.has("second_instance")


def _take_piece(planner: Planner, thing: str) -> None:
    belief = planner.belief
    armed = belief.hand in KNIVES
    hidden = belief.hidden.get(thing, "")
    if planner.has("slice_then_pick"):
        if armed and planner.has("one_at_a_time"):
            planner.do(DROP)
            belief.hand = ""
        if hidden:
            planner.find(hidden)
        elif not armed and belief.failures and belief.failures[-1].name == PICK + thing:
            planner.find(planner.nth("Knife", 0))
        planner.pick(thing)
        return
    if armed and planner.has("one_at_a_time"):
        planner.find("CounterTop")
        planner.do(PUT)
        belief.hand = ""
    if len(planner.instances(thing)) > 1:
        planner.find(planner.nth(thing, 1))
    planner.pick(thing)


def _cut_now(planner: Planner, thing: str) -> None:
    belief = planner.belief
    if thing in belief.sliced:
        return
    if belief.hand not in KNIVES:
        planner.take(planner.pick_class(KNIVES))
    hidden = belief.hidden.get(thing, "")
    failed = [step for step in belief.failures if step.name == SLICE + thing]
    if hidden:
        planner.uncover(hidden)
    elif failed and planner.has("open_to_take"):
        closed = planner.closed_in_view()
        if closed and len(failed) < 2:
            planner.uncover(closed)
        elif belief.clashes:
            planner.find(planner.nth(thing, len(failed)))
        else:
            planner.find(planner.nth(thing, 0))
            planner.do(PICK + thing)  # the hand is full: this only asks where it is
            planner.stop = True
    else:
        planner.find(planner.nth(thing, 0))
    planner.do(SLICE + thing)
    belief.sliced.add(thing)
