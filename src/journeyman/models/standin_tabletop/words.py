"""Words and the concepts that they stand for when a principle or suggestion is read."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|[0-9]+|[,:()]|--")
_SHORT = (("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"))

_IRREGULAR = {
    "taken": "take", "took": "take", "mistook": "mistake", "mistaken": "mistake", "lies": "lie",
    "lying": "lie", "laid": "lie", "put": "put", "brought": "bring", "went": "go",
    "goes": "go", "gone": "go", "left": "leave", "found": "find", "shown": "show", "saw": "see",
    "seen": "see", "stood": "stand", "sat": "sit", "kept": "keep", "told": "tell", "held": "hold",
    "chosen": "choose", "chose": "choose", "given": "give", "came": "come", "stripes": "stripe",
    "colors": "colour", "color": "colour", "colored": "colour", "colouring": "colour",
    "coloring": "colour", "colours": "colour", "hues": "hue", "bodies": "body", "was": "be",
    "is": "be", "are": "be", "were": "be", "been": "be", "being": "be", "does": "do", "did": "do",
    "done": "do", "has": "have", "had": "have", "sides": "side", "this": "this", "its": "its",
    "thing": "thing", "nothing": "nothing", "anything": "anything", "everything": "everything",
    "something": "something", "always": "always", "less": "less", "unless": "unless",
    "ring": "ring",
    "opening": "opening", "openings": "opening", "lighting": "lighting", "shading": "shading",
    "using": "use", "used": "use", "sizes": "size", "sized": "size", "shapes": "shape",
    "shaped": "shape", "places": "place", "placed": "place", "placing": "place", "moved": "move",
    "moving": "move", "moves": "move", "compared": "compare", "comparing": "compare",
    "compares": "compare", "decided": "decide", "deciding": "decide", "judging": "judge",
    "named": "name", "names": "name", "naming": "name", "listed": "list", "ignoring": "ignore",
    "ignored": "ignore", "leaving": "leave", "rotating": "rotate", "rotates": "rotate",
    "rotated": "rotate", "rearranging": "rearrange", "differed": "differ", "bigger": "big",
    "larger": "large", "smaller": "small", "brighter": "bright", "darker": "dark", "cues": "cue",
    "others": "other", "outlines": "outline", "silhouettes": "silhouette", "textures": "texture",
    "finished": "finish", "reversed": "reverse", "swapped": "swap", "bases": "base",
    "occupied": "occupy", "occupies": "occupy", "images": "image", "pictures": "picture",
    "pictured": "pictured", "obstacles": "obstacle", "containing": "contain", "enclosed": "enclose",
}  # fmt: skip


def tokens(text: str) -> list[str]:
    """Lower-case words, numbers and the punctuation inside a sentence."""
    text = text.lower().replace("\u2019", "'")
    for short, full in _SHORT:
        text = text.replace(short, full)
    text = re.sub(r"(counter|anti)[ -]?clock-?wise", "counterclockwise", text).replace("'s", " ")
    return _TOKEN.findall(text)


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """The base form: by table, else a known word without a regular ending, else as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in CONCEPTS or len(word) < 4:
        return word
    for ending, others in (
        ("ies", ("y",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ly", ("",)),
    ):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            stems = [stem + other for other in others]
            stems += [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
            for base in stems:
                if base in CONCEPTS or base in _IRREGULAR.values():
                    return base
    return word


def _lexicon(table: dict[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for concept, words in table.items():
        for word in words.split():
            found.setdefault(word, set()).add(concept)
    return {word: frozenset(concepts) for word, concepts in found.items()}


CONCEPTS: dict[str, frozenset[str]] = _lexicon(
    {
        # what one attends to
        "PATTERN": "pattern texture stripe dot motif print marking decoration weave swirl"
        " design grain ornament surface speckle patterned patterning",
        "COLOUR": "colour hue tint tone coloration shade",
        "OUTLINE": "outline shape contour silhouette form edge corner profile geometry boundary"
        " perimeter",
        "SIZE": "size big large small area extent dimension length width hole opening gap"
        " proportion scale",
        "LIGHT": "light lighting brightness illumination lightness shading shadow bright dark"
        " exposure glare luminance lamp lit",
        # how
        "ATTEND": "compare look check mind watch consider examine inspect judge decide weigh"
        " regard match matter count study note observe distinguish tell verify heed use"
        " notice attend attention focus rely discriminate identify contrast see agree review"
        " decisive inform important deciding settle go base",
        "ALL": "all every each whole entire complete full everything both",
        "SECOND": "second secondary minor rarer other further additional rest remaining accent"
        " less-common",
        "MAIN": "main dominant first single one prevailing commonest most largest only",
        "DIFFER": "differ vary change different shift fluctuate uneven inconsistent altered",
        # things
        "OBJECT": "object thing item target piece toy block article",
        "CONTAINER": "container base bowl frame pallet pan receptacle tray box vessel dish",
        "BLOCKER": "blocker obstacle obstruction distractor intruder stranger blockage",
        "PLACE": "place spot location destination position target goal slot site space point"
        " coordinate whereabouts",
        "PICTURE": "picture pictured image scene photo photograph drawing illustration",
        "ENTITY": "entity table environment workspace real actual",
        "ANGLE": "angle degree rotation turn rotate spin turning",
        "SIGN": "sign positive plus negative minus",
        # what is done
        "PICK": "pick grip grasp take lift grab pickup fetch collect seize pick-up",
        "PUT": "put place drop set lay deposit lower insert bring",
        "MOVE": "move carry shift relocate transfer rearrange transport handle arrange",
        "AWAY": "away aside clear remove free elsewhere empty vacate out off",
        "BLOCK": "block occupy obstruct cover sit stand hinder",
        "RESTORE": "restore return back undo revert home restoration",
        "END": "end finally last afterwards afterward finish final conclude conclusion eventually"
        " original initial start starting began home came",
        "ORDER": "order sequence succession",
        "REVERSE": "reverse swap opposite backwards inverse inverted",
        "CONFUSE": "confuse mistake mix confound pass",
        "INSIDE": "inside in within contain contents enclose hold lie inner interior middle",
        "CURRENT": "current currently now present presently lie actual actually sit stand",
        "EARLY": "first before beforehand earlier ahead prior initially",
    }
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = _words("not never no nor neither without cannot nothing hardly")
INVERTERS = _words(
    "ignore disregard neglect forget skip overlook omit avoid irrelevant unnecessary needless"
    " unimportant refrain discount fail optional superfluous pointless misleading mislead abstain"
    " useless wrong error incorrect bad forbidden dispense deceive worthless"
)
LIMITS = _words("only just merely solely alone simply enough suffice sufficient")
