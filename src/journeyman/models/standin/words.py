"""Words: tokens, lemmas, and the concepts that they stand for when a lesson is read."""

from __future__ import annotations

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOKEN = re.compile(r"[a-z]+|[0-9]+|_[0-9n]+|[,;:()—–]|--")

_CONTRACTIONS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'s", " "),
    ("'re", " are"),
    ("'ll", " will"),
    ("'ve", " have"),
    ("'d", " would"),
)

IRREGULAR = {
    "took": "take", "taken": "take", "held": "hold", "left": "leave", "cut": "cut",
    "brought": "bring", "went": "go", "gone": "go", "goes": "go", "lit": "light",
    "kept": "keep", "laid": "lay", "lain": "lie", "lay": "lay", "lying": "lie", "got": "get",
    "gotten": "get", "found": "find", "shut": "shut", "set": "set", "put": "put",
    "forgot": "forget", "forgotten": "forget", "hid": "hide", "hidden": "hide", "ran": "run",
    "began": "begin", "begun": "begin", "lost": "lose", "stood": "stand", "sat": "sit",
    "sent": "send", "slid": "slide", "stuck": "stick", "swung": "swing", "froze": "freeze",
    "frozen": "freeze", "shone": "shine", "gave": "give", "given": "give", "made": "make",
    "came": "come", "saw": "see", "seen": "see", "did": "do", "done": "do", "does": "do",
    "was": "be", "were": "be", "is": "be", "are": "be", "been": "be", "being": "be", "has": "have",
    "had": "have", "having": "having", "knives": "knife", "shelves": "shelf", "halves": "half",
    "leaves": "leave", "lies": "lie", "dishes": "dish", "boxes": "box", "glasses": "glass",
    "couches": "couch", "watches": "watch", "tomatoes": "tomato", "potatoes": "potato",
    "loaves": "loaf", "men": "man", "others": "other", "ones": "one", "its": "its",
    "always": "always", "this": "this", "thus": "thus", "less": "less", "unless": "unless",
    "across": "across", "news": "news", "gas": "gas", "bus": "bus", "us": "us", "during": "during",
    "thing": "thing", "nothing": "nothing", "anything": "anything", "something": "something",
    "everything": "everything", "following": "following", "red": "red", "bed": "bed",
    "need": "need", "hot": "hot", "process": "process", "access": "access", "using": "use",
    "used": "use", "tried": "try", "tries": "try", "carried": "carry", "carries": "carry",
    "dropped": "drop", "emptied": "empty", "freed": "free", "freeing": "free", "fed": "feed",
    "led": "lead", "read": "read", "shed": "shed", "spring": "spring", "ring": "ring",
    "string": "string", "swing": "swing", "bring": "bring", "sing": "sing", "king": "king",
    "wing": "wing", "ceiling": "ceiling", "evening": "evening", "morning": "morning",
    "failed": "fail", "cds": "cd", "dvds": "dvd",
}  # fmt: skip


def tokens(text: str) -> list[str]:
    """Lower-case words, numbers, instance marks (``_2``) and the punctuation inside a sentence."""
    text = _CAMEL.sub(" ", text).lower().replace("’", "'")
    for short, full in _CONTRACTIONS:
        if short in text:
            text = text.replace(short, full)
    return _TOKEN.findall(text)


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """The base form: irregular forms by table, regular endings cut, known words preferred."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in _KNOWN or len(word) < 4:
        return word
    candidates: list[str] = []
    if word.endswith("ing"):
        candidates = _stems(word[:-3])
    elif word.endswith(("ied", "ies")):
        candidates = [word[:-3] + "y"]
    elif word.endswith("ed"):
        candidates = _stems(word[:-2])
    elif word.endswith("es"):
        candidates = [word[:-1], word[:-2]]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        candidates = [word[:-1]]
    elif word.endswith("ly"):
        candidates = [word[:-2]]
    for candidate in candidates:
        if candidate in _KNOWN:
            return candidate
    if word.endswith("ly") or not candidates:
        return word
    return candidates[0] if len(candidates[0]) > 2 else word


def _stems(base: str) -> list[str]:
    undoubled = [base[:-1]] if len(base) > 2 and base[-1] == base[-2] else []
    return [*undoubled, base, base + "e"] if undoubled else [base, base + "e"]


def lemmas(text: str) -> list[str]:
    return [lemma(token) for token in tokens(text)]


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, which are set apart by spaces."""
    return frozenset(text.split())


def _lexicon(table: dict[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for concept, words in table.items():
        for word in words.split():
            found.setdefault(word, set()).add(concept)
    return {word: frozenset(concepts) for word, concepts in found.items()}


CONCEPTS: dict[str, frozenset[str]] = _lexicon(
    {
        # what is done
        "TAKE": "take pick grab lift collect retrieve fetch get recover reclaim remove grasp"
        " extract withdraw regain acquire gather obtain seize snatch scoop pickup"
        " regrasp reacquire pull touch hoist pluck nab procure salvage raise snag"
        " reobtain repick uplift",
        "PUT": "put place set lay deposit insert load stow position stack nest lower dump"
        " store tuck stash add drop release slip unload park discard rid ditch shed slot"
        " enclose arrange placement setting putdown relinquish pile fill combine plop"
        " plonk pop shove toss perch settle immerse submerge dunk seat situate shelve"
        " plant feed introduce surrender unhand file",
        "LIE": "lie sit rest stay remain stand wait fit enter accept receive admit reject refuse",
        "TREAT": "treat treatment cycle processing",
        "OPEN": "open reopen unlatch unseal unlock unclosed ajar unfasten unshut prise pry"
        " unclose unbolt",
        "CLOSE": "close shut seal reclose slam fasten latch reseal",
        "ON": "start run activate power operate press toggle engage ignite illuminate begin"
        " flow trigger on launch initiate enable energize energise actuate",
        "OFF": "off stop deactivate",
        "CUT": "slice cut chop divide carve halve split dice bisect dissect section sever"
        " quarter hack cube",
        "HOLD": "hold keep grip clutch retain grasp hang cling clasp possess",
        "CARRY": "carry bring transport haul transfer deliver convey relocate ferry move lug"
        " cart tote bear shift shuttle escort",
        "GO": "go find locate navigate walk approach return head visit seek reach travel come"
        " arrive search refind hunt step look target aim revisit trip stop face proceed"
        " journey steer drive localize localise track detect refocus relocalize",
        "WASH": "wash clean rinse scrub cleanse soak sanitize hose launder purify wet douse bathe",
        "HEAT": "heat warm cook reheat microwave hot nuke zap bake roast toast",
        "COOL": "cool chill refrigerate cold freeze ice",
        "HIDE": "hide contain conceal house cover harbour harbor",
        "LEAVE": "leave abandon",
        "SEE": "see visible invisible sight view notice spot",
        "TURN": "turn switch flip flick twist click",
        "LOSE": "lose forget clear reset cancel erase wipe drop break vanish forgotten expire"
        " discard"
        " overwrite",
        # what it is done to or with
        "SINK": "sink basin washbasin sinkbasin washbowl",
        "FAUCET": "faucet tap water spigot stream",
        "FRIDGE": "fridge refrigerator icebox cooler refrigeration freezer",
        "MICROWAVE": "microwave oven",
        "LAMP": "lamp light lantern lamplight desklamp floorlamp bulb torch illumination glow",
        "KNIFE": "knife blade cutter cleaver slicer",
        "DOOR": "door lid flap hatch",
        "CONTAINER": "container cabinet cupboard drawer safe box fridge refrigerator microwave"
        " receptacle storage enclosure compartment chest closet wardrobe locker bin"
        " crate trunk case cubby hutch pantry",
        "VESSEL": "vessel bowl plate cup pan pot mug dish tray carrier saucer saucepan tub"
        " skillet glass movable portable crockery basket holder jar jug tumbler platter"
        " casserole",
        "PLACE": "destination target place spot location goal receptacle there site belong"
        " endpoint home landing",
        "SURFACE": "shelf table counter desk sofa bed dresser countertop couch surface ottoman"
        " stool worktop nightstand sideboard chair armchair bench cart ledge mantel rack"
        " stand",
        "THING": "thing object item article good belonging possession utensil fork spoon ladle"
        " spatula pen pencil book phone key remote watch towel cloth sponge soap bottle"
        " statue vase candle newspaper egg card pillow bat lettuce artifact artefact"
        " payload cargo stuff gadget product",
        "FOOD": "food apple tomato potato bread lettuce vegetable fruit meal egg loaf"
        " ingredient produce veg foodstuff onion carrot bun",
        "IT": "it them they that those",
        "PIECE": "slice piece chunk part portion wedge segment half fragment bit strip cube",
        "WHOLE": "whole original uncut entire intact full unsliced complete undivided",
        "HAND": "hand gripper grip arm grasp palm fist possession finger claw manipulator"
        " effector grabber",
        "TOOL": "tool",
        # how
        "SECOND": "second two both pair twice double remaining duplicate copy twin last duo couple",
        "ANOTHER": "another other different separate distinct new extra fresh next further"
        " alternative additional unused",
        "INSTANCE": "instance copy exemplar one specimen number suffix numbered duplicate twin"
        " sibling counterpart",
        "SAME": "same identical already again first",
        "ONE": "one single only sole",
        "EMPTY": "empty free vacant bare unoccupied available clear unencumbered unladen",
        "FULL": "full occupied busy taken loaded burden encumbered engaged laden",
        "AGAIN": "again back re once-more anew afresh",
        "OUT": "out",
        "ALONG": "along simultaneously together with whole combined both",
        "SEPARATE": "separate separately individually alone apart themselves own independently",
        "BETWEEN": "between meanwhile intervening detour other else interruption anything"
        " interrupt",
        "DIRECT": "directly immediately right straight just immediate promptly last straightaway"
        " moment latest freshly fresh recent preceding precede previous instantly"
        " forthwith",
        "NEAR": "near beside next close by",
        "STILL": "still",
        "FIRST": "first advance beforehand initially prior earlier ahead",
        "GONE": "gone vanish disappear exist anymore longer replaced",
        "HERE": "there here spot on-the-spot place where",
    }
)

# How a statement is meant.
PROHIBIT = word_set("avoid refrain never resist beware shun")
UNNEEDED = word_set(
    "dispensable unnecessary needless needlessly optional superfluous redundant pointless"
    " irrelevant"
)
OMIT = word_set("without forget neglect skip omit miss lack")
BAD = word_set(
    "fail failure useless nothing waste wasted invalid refuse reject error mistake wrong"
    " vain impossible unable dirty trouble futile ineffective block blocked bounce unclean"
    " unwashed unheated uncooled problem spoil ruin uncooked lukewarm raw hopeless prevent"
    " worthless incorrect unsuccessful misplace stuck backfire none empty-handed mess"
    " unlit uselessly lost lose deny denied forbid forbidden uncut unsliced undone"
    " floor merely ground fruitless void decline counterproductive"
)
FINE = word_set("fine okay ok enough suffice safe harmless alright acceptable")
_KNOWN = (
    frozenset(CONCEPTS)
    | PROHIBIT
    | UNNEEDED
    | OMIT
    | BAD
    | FINE
    | word_set(
        "require necessary examine cause note image name size notice move place include exclude"
        " ensure"
        " believe be have do make use come give see miss pass need want"
    )
)
