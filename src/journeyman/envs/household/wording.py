"""Instructions in plain words: a goal and its room become a sentence that a person can follow.

A noun is used only where it means one class among those in the room ("table" needs a room with one
kind of table), so the sentence decides the classes, the number two, the slice, the vessel and the
lamp. The sentences are our own.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from journeyman.core.errors import JourneymanError
from journeyman.envs.household.scene import Goal, Scene

OBJECT_NOUNS: Mapping[str, tuple[str, ...]] = {
    "AlarmClock": ("alarm clock", "clock"),
    "Apple": ("apple",),
    "BaseballBat": ("baseball bat", "bat"),
    "BasketBall": ("basketball", "ball"),
    "Book": ("book",),
    "Bowl": ("bowl",),
    "Box": ("box", "cardboard box"),
    "Bread": ("loaf of bread", "bread loaf"),
    "ButterKnife": ("butter knife",),
    "CD": ("CD", "compact disc", "disc"),
    "Candle": ("candle",),
    "CellPhone": ("phone", "cell phone", "mobile phone"),
    "Cloth": ("cloth", "washcloth", "cleaning cloth"),
    "CreditCard": ("credit card", "bank card"),
    "Cup": ("cup",),
    "DishSponge": ("sponge", "dish sponge"),
    "Egg": ("egg",),
    "Fork": ("fork",),
    "Glassbottle": ("glass bottle",),
    "HandTowel": ("hand towel", "towel"),
    "Kettle": ("kettle",),
    "KeyChain": ("key chain", "bunch of keys", "set of keys"),
    "Knife": ("kitchen knife", "sharp knife", "chopping knife"),
    "Ladle": ("ladle", "soup ladle"),
    "Laptop": ("laptop", "notebook computer"),
    "Lettuce": ("head of lettuce", "lettuce"),
    "Mug": ("mug", "coffee mug"),
    "Newspaper": ("newspaper",),
    "Pan": ("pan", "frying pan"),
    "Pen": ("pen", "ballpoint pen"),
    "Pencil": ("pencil",),
    "PepperShaker": ("pepper shaker", "pepper pot"),
    "Pillow": ("pillow", "cushion"),
    "Plate": ("plate",),
    "Plunger": ("plunger",),
    "Pot": ("pot", "cooking pot"),
    "Potato": ("potato",),
    "RemoteControl": ("remote control", "remote", "television remote"),
    "SaltShaker": ("salt shaker", "salt cellar"),
    "SoapBar": ("bar of soap", "soap bar"),
    "SoapBottle": ("soap bottle", "bottle of soap", "soap dispenser"),
    "Spatula": ("spatula",),
    "Spoon": ("spoon",),
    "SprayBottle": ("spray bottle", "bottle of cleaning spray"),
    "Statue": ("statue", "figurine"),
    "TennisRacket": ("tennis racket", "racket"),
    "TissueBox": ("tissue box", "box of tissues"),
    "ToiletPaper": ("roll of toilet paper", "toilet roll"),
    "Tomato": ("tomato",),
    "Vase": ("vase",),
    "Watch": ("watch", "wristwatch"),
    "WateringCan": ("watering can",),
    "WineBottle": ("wine bottle", "bottle of wine"),
}

SLICE_WORDS: Mapping[str, str] = {
    "Apple": "apple",
    "Bread": "bread",
    "Lettuce": "lettuce",
    "Potato": "potato",
    "Tomato": "tomato",
}

PLACE_NOUNS: Mapping[str, tuple[str, ...]] = {
    "ArmChair": ("armchair", "easy chair"),
    "BathtubBasin": ("bathtub", "bath", "tub"),
    "Bed": ("bed",),
    "Cabinet": ("cabinet", "cupboard"),
    "Cart": ("cart", "trolley"),
    "CoffeeMachine": ("coffee machine", "coffee maker"),
    "CoffeeTable": ("coffee table", "table"),
    "CounterTop": ("counter", "countertop", "worktop"),
    "Desk": ("desk", "writing desk"),
    "DiningTable": ("dining table", "table"),
    "Drawer": ("drawer",),
    "Dresser": ("dresser", "chest of drawers"),
    "Fridge": ("fridge", "refrigerator"),
    "GarbageCan": ("trash can", "bin", "garbage can"),
    "Microwave": ("microwave", "microwave oven"),
    "Ottoman": ("ottoman", "footstool"),
    "Safe": ("safe", "strongbox"),
    "Shelf": ("shelf",),
    "SideTable": ("side table", "small side table", "end table"),
    "SinkBasin": ("sink", "sink basin"),
    "Sofa": ("sofa", "couch"),
    "StoveBurner": ("stove burner", "burner"),
    "Toilet": ("toilet", "toilet tank"),
    "ToiletPaperHanger": ("toilet paper holder",),
}
LAMP_NOUNS: Mapping[str, tuple[str, ...]] = {
    "DeskLamp": ("desk lamp", "table lamp", "lamp"),
    "FloorLamp": ("floor lamp", "standing lamp", "tall lamp", "lamp"),
}

_INSIDE = frozenset(
    {"BathtubBasin", "Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "GarbageCan"}
    | {"Microwave", "Mug", "Pan", "Pot", "Safe", "SinkBasin"}
)

_IRREGULAR = {
    "knife": "knives",
    "loaf": "loaves",
    "shelf": "shelves",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "box": "boxes",
    "watch": "watches",
    "wristwatch": "wristwatches",
    "bunch": "bunches",
}

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "pick_and_place_simple": (
        "Put {a_thing} {at_place}.",
        "Please place {a_thing} {at_place}.",
        "Find {a_thing} and leave it {at_place}.",
        "Could you set {a_thing} down {at_place}?",
        "{A_thing} should end up {at_place}.",
        "Fetch {a_thing} and put it {at_place}.",
        "Bring {a_thing} to {place} and leave it there.",
        "I would like to have {a_thing} {at_place}.",
        "See to it that {a_thing} lies {at_place}.",
        "Take {a_thing} over to {place} and set it down there.",
        "Tidy up a little: {a_thing} belongs {at_place}.",
        "Store {a_thing} {at_place}.",
        "Look for {a_thing}, then lay it {at_place}.",
        "Move {a_thing} so that it is {at_place}.",
    ),
    "pick_two_obj_and_place": (
        "Put two {things} {at_same_place}.",
        "Bring two {things} together {at_same_place}.",
        "Collect two {things} and leave both {at_same_place}.",
        "I want two {things} {at_same_place}.",
        "Find two {things} and place them {at_same_place}.",
        "Please gather a pair of {things} {at_same_place}.",
        "Two {things} should end up {at_same_place}.",
        "Move a couple of {things}, two in all, so that they are {at_same_place}.",
        "Take one {thing} and then another, and put both {at_same_place}.",
        "Store two {things} {at_same_place}.",
        "Make sure that there are two {things} {at_same_place}.",
        "Lay two {things} {at_same_place}, please.",
    ),
    "look_at_obj_in_light": (
        "Look at {a_thing} by the light of {lamp}.",
        "Examine {a_thing} under {lamp}.",
        "Hold {a_thing} and switch on {lamp}.",
        "Pick up {a_thing} and inspect it in the light of {lamp}.",
        "Turn on {lamp} while you hold {a_thing}.",
        "With {a_thing} in hand, light {lamp}.",
        "Take {a_thing} to {lamp} and study it with the light on.",
        "Check {a_thing} in the glow of {lamp}.",
        "Get {a_thing} and have a close look at it next to {lamp}, switched on.",
        "View {a_thing} while {lamp} shines on it.",
        "Carry {a_thing} over to {lamp} and put the light on.",
    ),
    "pick_clean_then_place_in_recep": (
        "Wash {a_thing} and put it {at_place}.",
        "Rinse {a_thing}, then place it {at_place}.",
        "Clean {a_thing} and leave it {at_place}.",
        "Put a clean {thing} {at_place}.",
        "Give {a_thing} a wash and set it down {at_place}.",
        "{A_thing} needs rinsing; afterwards it goes {at_place}.",
        "Place a freshly washed {thing} {at_place}.",
        "Wash {a_thing} under the tap before you put it {at_place}.",
        "I need a rinsed {thing} {at_place}.",
        "Please rinse off {a_thing} and store it {at_place}.",
        "Get {a_thing} clean in the sink and move it so that it is {at_place}.",
        "Find {a_thing}, hold it under running water, then lay it {at_place}.",
    ),
    "pick_heat_then_place_in_recep": (
        "Heat {a_thing} and put it {at_place}.",
        "Warm up {a_thing}, then place it {at_place}.",
        "Put a hot {thing} {at_place}.",
        "Microwave {a_thing} and leave it {at_place}.",
        "Place a warm {thing} {at_place}.",
        "{A_thing} should be heated up and then set {at_place}.",
        "Cook {a_thing} in the microwave before you put it {at_place}.",
        "I would like to find a heated {thing} {at_place}.",
        "Please make {a_thing} warm and lay it {at_place}.",
        "Get {a_thing} hot, then leave it {at_place}.",
        "Use the microwave on {a_thing} and set it down {at_place}.",
        "Warm {a_thing} through and see that it ends up {at_place}.",
    ),
    "pick_cool_then_place_in_recep": (
        "Cool {a_thing} and put it {at_place}.",
        "Chill {a_thing}, then place it {at_place}.",
        "Put a cold {thing} {at_place}.",
        "Refrigerate {a_thing} for a while and leave it {at_place}.",
        "Place a chilled {thing} {at_place}.",
        "{A_thing} should be cooled down and then set {at_place}.",
        "Cool down {a_thing} in the fridge before you put it {at_place}.",
        "I would like to find a chilled {thing} {at_place}.",
        "Please make {a_thing} cold and lay it {at_place}.",
        "Get {a_thing} cold, then leave it {at_place}.",
        "Let {a_thing} cool off in the fridge and set it down {at_place}.",
    ),
    "pick_and_place_with_movable_recep": (
        "Put {a_thing} {at_vessel} and set the {vessel} {at_place}.",
        "Place {a_vessel} with {a_thing} {pronoun_vessel} {at_place}.",
        "Lay {a_thing} {at_vessel}, then move the {vessel} so that it is {at_place}.",
        "I need {a_vessel} holding {a_thing} {at_place}.",
        "Bring {a_vessel} that has {a_thing} {pronoun_vessel} to {place} and leave it there.",
        "{A_thing} goes {at_vessel}, and both of them go {at_place}.",
        "Use {a_vessel} to hold {a_thing} and leave the two {at_place}.",
        "Set {a_thing} {at_vessel}; the {vessel} belongs {at_place}.",
        "Leave {a_thing} {at_vessel} and put it all {at_place}.",
        "Please put {a_vessel} {at_place} with {a_thing} {pronoun_vessel}.",
        "Find {a_vessel}, put {a_thing} {pronoun_vessel} and store them {at_place}.",
    ),
}

SLICED_TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "pick_two_obj_and_place": (
        "Cut up {a_whole} and put two slices of it {at_same_place}.",
        "Slice {a_whole}, then leave two of the pieces {at_same_place}.",
    ),
    "pick_heat_then_place_in_recep": (
        "Slice {a_whole}, heat one of the slices and put it {at_place}.",
        "Cut up {a_whole}, warm a piece in the microwave and leave it {at_place}.",
    ),
    "pick_cool_then_place_in_recep": (
        "Slice {a_whole}, chill one of the slices and put it {at_place}.",
        "Cut up {a_whole}, cool a piece in the fridge and leave it {at_place}.",
    ),
}
"""More sentences for goals with a slice, besides the common ones that name the slice itself."""


class WordingError(JourneymanError):
    """A goal that no noun names without doubt in its room."""


def nouns(type_name: str, room: str) -> tuple[str, ...]:
    """The words for a class in a room of this kind, whether or not they are ambiguous there."""
    words = (
        OBJECT_NOUNS.get(type_name, ())
        + PLACE_NOUNS.get(type_name, ())
        + LAMP_NOUNS.get(type_name, ())
    )
    if type_name == "DiningTable" and room == "kitchen":
        words = (*words, "kitchen table")
    if type_name == "SideTable" and room == "bedroom":
        words = (*words, "nightstand", "bedside table")
    return words


def referents(noun: str, scene: Scene) -> frozenset[str]:
    """The classes of the scene that the noun may mean."""
    return frozenset(o.type for o in scene.objects if noun in nouns(o.type, scene.room))


def with_article(noun: str) -> str:
    """``an apple``, ``a book``."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """``knives``, ``bars of soap``; the first word before ``of`` carries the ending."""
    head, of, rest = noun.partition(" of ")
    *before, last = head.split(" ")
    if last in _IRREGULAR:
        ending = _IRREGULAR[last]
    elif last.endswith(("s", "x", "ch")):
        ending = last + "es"
    else:
        ending = last + "s"
    return " ".join([*before, ending]) + of + rest


def _noun(type_name: str, scene: Scene, rng: random.Random) -> str:
    clear = [n for n in nouns(type_name, scene.room) if referents(n, scene) <= {type_name}]
    if not clear:
        raise WordingError(
            f"no noun means only {type_name} in scene {scene.id}.",
            hint="Give the class a word of its own in wording.py.",
        )
    return rng.choice(clear)


def _place(type_name: str, noun: str, scene: Scene) -> tuple[str, str, str]:
    """``the fridge``, ``in the fridge`` and, for two things, ``in the same drawer``."""
    count = sum(o.type == type_name for o in scene.objects)
    preposition = "in" if type_name in _INSIDE else "on"
    place = f"the {noun}" if count == 1 else with_article(noun)
    same = f"the {noun}" if count == 1 else f"the same {noun}"
    return place, f"{preposition} {place}", f"{preposition} {same}"


def instruction(goal: Goal, scene: Scene, rng: random.Random) -> str:
    """A sentence for this goal in this scene; ``rng`` picks the sentence and its nouns.

    Raises:
        WordingError: no noun names one of the goal's classes without doubt.
    """
    templates = TEMPLATES[goal.task_type]
    words: dict[str, str] = {}
    if goal.object_sliced:
        templates += SLICED_TEMPLATES[goal.task_type]
        whole = SLICE_WORDS[goal.object_target]
        thing = rng.choice((f"slice of {whole}", f"{whole} slice", f"piece of sliced {whole}"))
        words["a_whole"] = with_article(_noun(goal.object_target, scene, rng))
    else:
        thing = _noun(goal.object_target, scene, rng)
    words |= {"thing": thing, "things": plural(thing), "a_thing": with_article(thing)}
    words["A_thing"] = words["a_thing"][0].upper() + words["a_thing"][1:]
    if goal.parent_target:
        noun = _noun(goal.parent_target, scene, rng)
        place, at_place, at_same_place = _place(goal.parent_target, noun, scene)
        words |= {"place": place, "at_place": at_place, "at_same_place": at_same_place}
        if goal.parent_target in _INSIDE:  # "to the fridge" leaves open whether in it or on it
            templates = tuple(t for t in templates if "{place}" not in t)
    if goal.mrecep_target:
        vessel = _noun(goal.mrecep_target, scene, rng)
        preposition = "in" if goal.mrecep_target in _INSIDE else "on"
        words |= {"vessel": vessel, "a_vessel": with_article(vessel)}
        words["at_vessel"] = f"{preposition} {words['a_vessel']}"
        words["pronoun_vessel"] = f"{preposition} it"
    if goal.toggle_target:
        words["lamp"] = f"the {_noun(goal.toggle_target, scene, rng)}"
    return rng.choice(templates).format(**words)
