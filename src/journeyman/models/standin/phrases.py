"""How the stand-in words what it has learnt: notes for each rule, and steps as sentences.

None of these strings is known to `reading`, which goes by concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from journeyman.models.standin.belief import kind_of
from journeyman.models.standin.grounding import Intent
from journeyman.models.standin.household import LAMPS, OPENABLE, class_phrase
from journeyman.models.standin.review import KNIVES, Act, thing_of

Pick = Callable[[Sequence[str], str], str]
"""Chooses one of several wordings, given what it is for."""


@dataclass(frozen=True)
class Wording:
    """Ways to say one rule."""

    titles: tuple[str, ...]
    when: tuple[str, ...]
    causes: tuple[str, ...]
    guidelines: tuple[str, ...]
    patterns: tuple[str, ...]


WORDINGS: dict[str, Wording] = {
    "open_before_put": Wording(
        ("Doors before storing", "Storage with a door", "Access to storage"),
        ("the goal is a cabinet, drawer or other closable container",
         "something is to be stored behind a door"),
        ("The put was refused: the item was meant to go into a container that was still closed.",
         "The robot tried putting the item in a closed container, and this was rejected."),
        ("Open a closable container, then put the item into it.",
         "Closed containers accept nothing; open the container on arrival and then deposit the"
         " item.",
         "Between the find of a closable container and the put there has to be an open."),
        ("Opening the container came first, and then the item could be put in.",
         "Storage had a door, which was opened before the item was placed inside."),
    ),
    "open_to_take": Wording(
        ("Things behind doors", "Reaching what is hidden", "Access to the item"),
        ("feedback says which container the item is in", "the item may be shut away"),
        ("The item sat inside a closed container, so picking it up was impossible.",
         "The robot tried to grab an item that was shut in behind a closed door."),
        ("Go to the container that feedback names, open this container and grab the item.",
         "Open up the closed container in which the item is hidden, and only then grab it.",
         "Grabbing through a closed door is impossible. Open the container, then take the item"
         " out of it."),
        ("The item was hidden; opening its container and then grabbing the item worked.",
         "Go to the container with the item, open this container, then grab the item."),
    ),
    "sink_before_faucet": Wording(
        ("Washing at the sink", "How cleaning works", "Water needs the sink"),
        ("an item is to be cleaned, washed or rinsed", "the task asks for something clean"),
        ("The tap ran while the item was still held, and nothing got clean.",
         "The item had not gone into the sink by the time the tap ran, so washing did not happen."),
        ("For cleaning, put the item into the sink first and then switch the tap on.",
         "Only what lies in the sink is cleaned by the tap: deposit the item in the sink, then"
         " switch the tap on.",
         "Do not switch the tap on until the item lies in the sink."),
        ("The item got clean because it went into the sink before the tap was switched on.",
         "Depositing the item in the sink and switching on the tap after that washed it."),
    ),
    "take_back": Wording(
        ("Collect it afterwards", "Do not lose it after the treatment", "Back into the hand"),
        ("an item was cleaned, heated or cooled and should go elsewhere",
         "a treatment is finished"),
        ("After the treatment the item was left behind, and the robot reached the destination"
         " empty-handed.",
         "After the treatment the item was not collected again, so nothing could be delivered."),
        ("After cleaning, heating or cooling, collect the item again and only then go on.",
         "When the treatment is over, open the appliance if it has a door and take the item back,"
         " then go on.",
         "Do not leave a treated item behind in its sink, microwave or fridge."),
        ("Once treated, the item was collected again and then carried on.",
         "Taking the item back after the treatment made the delivery possible."),
    ),
    "heat_inside_closed": Wording(
        ("How the microwave works", "Heating needs a shut door", "Microwave cycle"),
        ("something is to be heated, warmed or cooked", "the microwave is used"),
        ("The microwave was misused: food belongs inside and its door must be closed by the time"
         " that it is switched on.",
         "The microwave did not heat the food, since it ran with its door open or with the food in"
         " hand."),
        ("Place food inside the microwave, shut it, and switch it on.",
         "The microwave only heats food that is inside with the door shut; shut it, then switch it"
         " on.",
         "Before switching the microwave on, place food inside and shut the door."),
        ("The food got hot since it went into the microwave, which was shut and then switched on.",
         "Placing food inside the microwave, shutting it and switching it on heated the food."),
    ),
    "cool_by_closing": Wording(
        ("How the fridge cools", "Cooling needs a shut door", "Fridge cycle"),
        ("something is to be cooled or chilled", "the task asks for something cold"),
        ("The fridge was never shut after the item was put in, so the item did not get cold.",
         "The item left the fridge too soon: the door should have been closed after the item was"
         " put in, so cooling did not happen."),
        ("For cooling, place the item in the fridge and shut the fridge.",
         "Cooling takes place once the fridge is shut with the item inside: place it in there, then"
         " shut the fridge.",
         "Do not take the item from the fridge until the fridge has been closed once."),
        ("The item became cold: after it was placed in the fridge, the fridge was shut.",
         "Placing the item in the fridge and then shutting the fridge cooled it."),
    ),
    "one_at_a_time": Wording(
        ("One hand, one item", "Hands have to be free", "Nothing else in the hand"),
        ("something else is still in the hand", "several items or a tool are handled"),
        ("The robot tried to pick something up while still holding another item.",
         "Picking up was refused, as the hand was still holding something else."),
        ("Put down what the hand holds before picking up anything else.",
         "A hand holds only one item, so free the hand before the next pick up.",
         "Never pick something up while holding something else; let go of that first."),
        ("The hand was emptied before the next item was picked up.",
         "Putting the held item down before picking up another one avoided a refusal."),
    ),
    "find_before_put": Wording(
        ("Destination last", "Putting down needs a target", "Go there right before"),
        ("an item is to be put down at a destination", "the item is in the hand"),
        ("The item was put down without finding the destination right before, so it was only"
         " dropped.",
         "Other actions came between finding the destination and the put, so its target was lost."),
        ("Find the destination right before you put the item down.",
         "Go to the destination with the item in hand and put it down immediately; other actions"
         " in between lose the target.",
         "Finding the destination must be the last action before the put."),
        ("Finding the destination directly before putting the item down placed it there.",
         "The destination was found immediately before the item was put down."),
    ),
    "lamp_while_holding": Wording(
        ("Light while holding", "Examining by lamp", "Look with the item in hand"),
        ("something is to be examined by lamp light", "a lamp is to be switched on"),
        ("The lamp was switched on with an empty hand, so the item was not examined.",
         "The robot put the item down before switching on the lamp, which does not count as"
         " looking."),
        ("Keep hold of the item, find the lamp and switch the lamp on.",
         "For examining, pick the item up first, then find the lamp and switch it on while"
         " holding the item.",
         "Do not put the item down before the lamp is lit."),
        ("The item was held while the lamp was switched on.",
         "Picking the item up and switching on the lamp with the item in hand did the task."),
    ),
    "stack_then_carry": Wording(
        ("Load first, then carry", "Moving one thing in another", "Vessel with content"),
        ("an item is to be moved in or on a vessel", "a plate, bowl or cup is to carry something"),
        ("Vessel and item were carried separately, so the item was not in the vessel.",
         "The vessel was carried empty, which fails: the item belongs in the vessel before the"
         " vessel is carried."),
        ("Put the item into the vessel, then pick the vessel up and carry the vessel away.",
         "Load the vessel before carrying it: place the item in the vessel and then take the"
         " vessel along.",
         "Never carry the vessel away before the item lies in it."),
        ("The item was put into the vessel and then the vessel was carried away.",
         "Placing the item in the vessel and picking up the vessel moved both."),
    ),
    "second_instance": Wording(
        ("Two means two instances", "Fetch a different one", "Second trip"),
        ("two items of the same kind are asked for", "the task names two of something"),
        ("The robot took the same item twice, and this does not count as two.",
         "On the second trip the robot took the same instance again instead of fetching another"
         " one."),
        ("For the second of two items find another instance, such as the one whose name ends in"
         " _2.",
         "Two items mean two trips: on the second trip fetch a different instance.",
         "Do not take the same instance twice; find another instance for the second one."),
        ("The second item was a different instance: after the first one, another instance was"
         " fetched.",
         "Fetching another instance for the second of the two completed the pair."),
    ),
    "slice_then_pick": Wording(
        ("Cut, then take a slice", "Slices stay where they are cut", "After the knife"),
        ("a slice of something is wanted", "food is to be cut first"),
        ("After cutting, the robot searched for the whole food again, which is wrong, instead of"
         " taking a slice.",
         "The slice was not taken after the cut: the robot went for the whole food, so it failed."),
        ("Slice the food with the knife, lay the knife aside, and take a slice on the spot.",
         "Cut first, then lay the knife aside and take a slice where it lies; do not search for"
         " the whole food after cutting.",
         "After slicing, take a piece at the same spot."),
        ("The food was sliced, the knife was laid aside, and a slice was taken on the spot.",
         "Cutting, dropping the knife and then taking a slice on the spot gave the slice."),
    ),
}  # fmt: skip

VAGUE: tuple[tuple[str, str], ...] = (
    (
        "Search more carefully",
        "Look around carefully and make sure that the right kind of object is"
        " meant by the instruction.",
    ),
    (
        "Check the wording",
        "The words of the instruction can mean several kinds of objects or places;"
        " consider the alternatives.",
    ),
    ("Plan ahead", "Think the whole task through and use fewer actions."),
    ("Be persistent", "Try again in another way when an action turns out invalid."),
)


def steps_text(intent: Intent, done: Sequence[Act], pick: Pick) -> str:
    """A trajectory's successful steps as sentences with kinds of objects."""
    thing = thing_of(intent, done)
    object_ = pick(("the item", "the thing", "the object"), "object word")
    places = set(intent.place)
    vessels = set(intent.vessel)

    def name(word: str) -> str:
        kind = kind_of(word)
        if kind == thing:
            return "another instance" if "_" in word and intent.kind == "two" else object_
        if kind in KNIVES:
            return "the knife"
        if kind in vessels:
            return "the vessel"
        if kind in LAMPS:
            return "the lamp"
        if kind in {"Sink", "Faucet", "Microwave", "Fridge"}:
            return f"the {class_phrase(kind)}"
        if kind in places:
            return "the destination"
        return "the container" if kind in OPENABLE else "the place"

    sentences = []
    cut = False
    for act in done:
        if not act.success:
            continue
        word = name(act.word) if act.word else ""
        if cut and word == object_:
            word = "a slice"
        if act.verb == "find":
            sentences.append(f"find {word}")
        elif act.verb == "pick":
            sentences.append(f"pick up {word}")
        elif act.verb == "put":
            held = "the knife" if act.hand in KNIVES else name(act.hand)
            held = "the slice" if cut and held == object_ else held
            inside = kind_of(act.target) in OPENABLE | {"Sink"} | vessels
            where = f"into {name(act.target)}" if inside else "down"
            sentences.append(f"put {held} {where}")
        elif act.verb == "drop":
            sentences.append("drop the knife" if act.hand in KNIVES else f"drop {object_}")
        elif act.verb in {"open", "close"}:
            sentences.append(f"{act.verb} {word}")
        elif act.verb == "slice":
            cut = True
            sentences.append("slice it with the knife")
        elif act.verb == "on":
            sentences.append(f"turn on {word}")
        else:
            sentences.append(f"turn off {word}")
    return _join(sentences, pick)


def _join(sentences: Sequence[str], pick: Pick) -> str:
    style = pick(("commas", "then", "sentences"), "steps style")
    if not sentences:
        return ""
    if style == "commas":
        text = ", ".join(sentences)
    elif style == "then":
        text = ", then ".join(sentences)
    else:
        groups = [sentences[i : i + 3] for i in range(0, len(sentences), 3)]
        parts = [", ".join(group) for group in groups]
        return " ".join(f"{'Then ' if i else ''}{p}." for i, p in enumerate(parts)).capitalize()
    return text[0].upper() + text[1:] + "."
