"""What the stand-in knows of household words: which phrase names which class of thing.

Class names are iTHOR's, as the action lists spell them. A phrase that may mean several classes
lists them with the likeliest first.
"""

from __future__ import annotations

from functools import lru_cache

from journeyman.models.standin.words import lemmas, tokens, word_set

PICKABLE = word_set(
    "KeyChain Potato Pot Pen Candle CD Pan Watch Newspaper HandTowel SprayBottle"
    " BaseballBat Bread  CellPhone Book Lettuce CreditCard Mug AlarmClock Kettle"
    " ToiletPaper Bowl Fork Box Egg Spoon  TissueBox Apple TennisRacket Ladle WineBottle"
    " Cloth Plunger SoapBar Pencil Laptop  RemoteControl BasketBall DishSponge Cup Spatula"
    " SaltShaker Plate PepperShaker Pillow  Glassbottle SoapBottle Knife Statue Tomato"
    " ButterKnife WateringCan Vase"
)
PLACES = word_set(
    "ArmChair Safe Cart Ottoman CoffeeMachine Desk Cabinet Drawer Sofa StoveBurner"
    " SideTable Toilet  DiningTable Shelf ToiletPaperHanger CoffeeTable Bathtub Bed"
    " Dresser Fridge Microwave  CounterTop Sink GarbageCan"
)
VESSELS = word_set("Pot Pan Mug Bowl Box Cup Plate")
LAMPS = word_set("DeskLamp FloorLamp")
OPENABLE = word_set("Safe Fridge Microwave Cabinet Drawer")
"""Closed at the start; a Box and a Laptop are open."""
SLICEABLE = word_set("Potato Lettuce Tomato Apple Bread")

_PHRASES = {
    "KeyChain": "key chain|key|set of key|key ring|jangling item|keychain",
    "Potato": "potato|spud",
    "Pot": "pot|cooking pot|stew pot|stock pot",
    "Pen": "pen|ink-writing instrument|ballpoint",
    "Candle": "candle|nail polish",
    "CD": "cd|disc|disk|compact disc|music disc|dvd",
    "Pan": "pan|frying pan|skillet|sauce pan|saucepan|fry pan|cooking container",
    "Watch": "watch|wristwatch|wrist watch|timepiece|timekeeping device",
    "Newspaper": "newspaper|news paper|paper|magazine|daily paper|reading material",
    "HandTowel": "hand towel|towel|soft absorbent fabric",
    "SprayBottle": "spray bottle|spray|sprayer|cleaner|cleaning spray|spray can",
    "BaseballBat": "baseball bat|bat",
    "Bread": "bread|loaf|loaf of bread|toast",
    "CellPhone": "cell phone|phone|mobile phone|smartphone|mobile|cellphone|communication device",
    "Book": "book|novel|textbook|notebook|bound volume|handbook|bound collection",
    "Lettuce": "lettuce|head of lettuce|cabbage|green leaf|leafy green|salad|green vegetable"
    "|leafy green vegetable",
    "CreditCard": "credit card|card|bank card|debit card",
    "Mug": "mug|coffee mug|coffee cup|tea mug|tea cup|cup of coffee",
    "AlarmClock": "alarm clock|clock|alarm",
    "Kettle": "kettle|tea kettle|tea pot|teapot",
    "ToiletPaper": "toilet paper|toilet roll|roll of toilet paper|toilet paper roll|tp roll"
    "|toilet tissue|roll",
    "Bowl": "bowl|dish|round eating vessel|container for rice",
    "Fork": "fork",
    "Box": "box|cardboard box|carton|paper container|box on",
    "Egg": "egg",
    "Spoon": "spoon|stirring tool|teaspoon|tablespoon",
    "TissueBox": "tissue box|box of tissue|tissue|kleenex|kleenex box|box tissue|tissue paper box",
    "Apple": "apple|red fruit|red crisp fruit",
    "TennisRacket": "tennis racket|racket|racquet|tennis racquet",
    "Ladle": "ladle|ladel|soup spoon|serving spoon|soup serving tool|ice cream ladle|soup ladle"
    "|serving soup|scoop",
    "WineBottle": "wine bottle|bottle of wine|wine",
    "Cloth": "cloth|rag|washcloth|wash cloth|wash rag|dish cloth|dishcloth|dishrag|washrag"
    "|face cloth",
    "Plunger": "plunger",
    "SoapBar": "bar of soap|soap bar|soap|bar soap",
    "Pencil": "pencil|graphite-writing tool",
    "Laptop": "laptop|laptop computer|notebook computer|computer",
    "RemoteControl": "remote control|remote|tv remote|television remote|controller"
    "|tv remote control"
    "|device for changing channel|device used for controlling electronics",
    "BasketBall": "basketball|basket ball|ball",
    "DishSponge": "dish sponge|sponge|kitchen sponge|scouring item|scrubber",
    "Cup": "cup|glass|glass cup|wine glass|goblet|wine cup|martini glass|drinking glass"
    "|transparent drinking vessel|transparent beverage holder|beverage holder|tumbler",
    "Spatula": "spatula|flipping tool|turner",
    "SaltShaker": "salt shaker|salt|shaker|saltshaker|shaker of salt",
    "Plate": "plate|dinner plate|eating surface|flat eating surface|saucer",
    "PepperShaker": "pepper shaker|pepper|peppershaker|pepper mill|shaker of pepper",
    "Pillow": "pillow|cushion|soft cushion|throw pillow",
    "Glassbottle": "glass bottle|glassbottle|bottle of glass",
    "SoapBottle": "soap bottle|bottle of soap|lotion|bottle of lotion|hand soap|soap dispenser"
    "|dish soap|liquid soap|lotion bottle|dispenser|soap pump|bottle of hand soap|shampoo",
    "Knife": "knife|kitchen knife|large knife|big knife|chef knife|carving knife|sharp knife"
    "|cutting tool|bladed utensil|steak knife",
    "Statue": "statue|trophy|figure|figurine|sculpture|statuette|bust",
    "Tomato": "tomato|red vegetable",
    "ButterKnife": "butter knife|table knife|dinner knife|butterknife|cutting tool for butter",
    "WateringCan": "watering can|water can|watering pitcher|watering pot|pitcher|watering jug|jug"
    "|container used for watering plant",
    "Vase": "vase|flower vase|urn",
    "ArmChair": "arm chair|armchair|chair|recliner|easy chair|lounge chair",
    "Safe": "safe|vault|strongbox|lock box",
    "Cart": "cart|rack|metal rack|trolley|metal shelf|utility cart|metal cart",
    "Ottoman": "ottoman|foot rest|footrest|foot stool|footstool|bench|stool|pouf|hassock",
    "CoffeeMachine": "coffee machine|coffee maker|coffeemaker|coffee pot|coffee brewer"
    "|espresso machine",
    "Desk": "desk|computer desk|writing desk|work desk|study desk|bedroom desk|office desk",
    "Cabinet": "cabinet|cupboard|kitchen cabinet|pantry|cabinet door|vanity",
    "Drawer": "drawer|chest of drawer|cabinet drawer|desk drawer|dresser drawer",
    "Sofa": "sofa|couch|love seat|loveseat|settee|sectional",
    "StoveBurner": "stove burner|burner|stove|stovetop|stove top|hob|range|cooktop",
    "SideTable": "side table|end table|night stand|nightstand|bedside table|bed side table"
    "|small table|black table|night table|microwave oven table|microwave table|stand|accent table",
    "Toilet": "toilet|toilet tank|water tank|toilet seat|commode|flusher|toilet lid|tank"
    "|porcelain seat",
    "DiningTable": "dining table|kitchen table|dinner table|dining room table|kitchen island|island"
    "|wooden table|white table|round table|breakfast table|big table|large table"
    "|kitchen island counter",
    "Shelf": "shelf|bookshelf|shelving|shelf unit|shelving unit|ledge|wall shelf",
    "ToiletPaperHanger": "toilet paper hanger|toilet paper holder|paper holder|hanger"
    "|toilet roll holder|toilet paper dispenser",
    "CoffeeTable": "coffee table|living room table|low table|center table|glass table",
    "Bathtub": "bathtub|bath tub|tub|bath|bath basin",
    "Bed": "bed|mattress|place where you sleep",
    "Dresser": "dresser|tv stand|television stand|chest|bureau|tv console|entertainment center"
    "|media console|wardrobe|entertainment stand|console|cabinet under tv|commode dresser",
    "Fridge": "fridge|refrigerator|icebox|ice box|freezer",
    "Microwave": "microwave|microwave oven|oven",
    "CounterTop": "counter top|countertop|counter|kitchen counter|bathroom counter|sink counter"
    "|worktop|work surface|work top|kitchen countertop",
    "Sink": "sink|sink basin|basin|wash basin|washbasin|kitchen sink|bathroom sink",
    "GarbageCan": "garbage can|garbage|trash|trash can|bin|waste bin|trash bin|garbage bin"
    "|wastebasket|waste basket|rubbish bin|dustbin|recycling bin|trashcan|waste basket|basket"
    "|recycle bin|waste can|waste|rubbish",
    "DeskLamp": "desk lamp|table lamp|small lamp|bedside lamp|reading lamp|lamp on desk|desk light"
    "|short lamp|desktop lamp|night lamp",
    "FloorLamp": "floor lamp|tall lamp|standing lamp|standing light|floor light|tall light"
    "|tall standing light|living room lamp|pole lamp|standing light fixture",
    "Faucet": "faucet|tap|water",
}  # fmt: skip

_EITHER = {
    "table": "DiningTable SideTable CoffeeTable Desk CounterTop Dresser",
    "bottle": "SprayBottle SoapBottle Glassbottle WineBottle",
    "lamp": "FloorLamp DeskLamp",
    "light": "FloorLamp DeskLamp",
    "lamplight": "FloorLamp DeskLamp",
    "lantern": "DeskLamp FloorLamp",
    "light fixture": "FloorLamp DeskLamp",
    "knife": "Knife ButterKnife",
    "glass": "Cup Glassbottle",
    "cup": "Cup Mug",
    "mug": "Mug Cup",
    "coffee cup": "Mug Cup",
    "pan": "Pan Pot",
    "pot": "Pot Pan",
    "towel": "HandTowel Cloth",
    "cloth": "Cloth HandTowel",
    "rag": "Cloth HandTowel",
    "counter": "CounterTop DiningTable",
    "kitchen island": "DiningTable CounterTop",
    "island": "DiningTable CounterTop",
    "kitchen table": "DiningTable SideTable",
    "wooden table": "DiningTable SideTable CoffeeTable",
    "small table": "SideTable CoffeeTable",
    "glass table": "CoffeeTable DiningTable",
    "round table": "DiningTable SideTable CoffeeTable",
    "white table": "DiningTable SideTable",
    "black table": "SideTable DiningTable",
    "chair": "ArmChair",
    "cabinet": "Cabinet Dresser",
    "cupboard": "Cabinet",
    "tv stand": "Dresser SideTable Shelf",
    "television stand": "Dresser SideTable Shelf",
    "stand": "SideTable Dresser",
    "rack": "Cart Shelf",
    "soap": "SoapBar SoapBottle",
    "teapot": "Kettle WateringCan",
    "tea pot": "Kettle WateringCan",
    "pitcher": "WateringCan",
    "oven": "Microwave",
    "shaker": "SaltShaker PepperShaker",
    "dish": "Bowl Plate",
    "vessel": "Bowl Cup Plate",
    "paper": "Newspaper",
    "computer": "Laptop",
    "fruit": "Apple Tomato",
    "vegetable": "Lettuce Potato Tomato",
    "bench": "Ottoman Sofa",
    "chest": "Dresser",
    "night stand": "SideTable Dresser",
    "nightstand": "SideTable Dresser",
    "spoon": "Spoon Ladle",
    "golden spoon": "Ladle Spoon",
    "cleaner": "SprayBottle SoapBottle",
    "bin": "GarbageCan Box",
    "basket": "GarbageCan Box",
    "basin": "Sink Bathtub",
    "bath basin": "Bathtub",
}


def _spelled(name: str) -> tuple[str, ...]:
    return tuple(lemmas(name))


@lru_cache(maxsize=1)
def lexicon() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Phrases, as tuples of lemmas, with the classes that they may mean, likeliest first."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for name, phrases in _PHRASES.items():
        for phrase in [*phrases.split("|"), name]:
            key = _spelled(phrase)
            found[key] = (
                (*found.get(key, ()), name) if name not in found.get(key, ()) else found[key]
            )
    for phrase, names in _EITHER.items():
        found[_spelled(phrase)] = tuple(names.split())
    return found


@lru_cache(maxsize=1)
def longest() -> int:
    """Length of the longest phrase, in words."""
    return max(map(len, lexicon()))


def class_phrase(name: str) -> str:
    """A class name in plain words: ``ButterKnife`` is "butter knife"."""
    return " ".join(tokens(name)) if name != "CD" else "CD"
