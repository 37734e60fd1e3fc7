"""Colours: of materials, of instances of a class, of the rooms."""

from __future__ import annotations

from collections.abc import Mapping

from journeyman.envs.household.scene import Room
from journeyman.envs.household.vocab import kind_of

Colour = tuple[int, int, int]

COLOURS: Mapping[str, Colour] = {
    "black": (38, 38, 42),
    "blue": (70, 110, 190),
    "card": (190, 150, 100),
    "chrome": (205, 212, 220),
    "cream": (236, 226, 200),
    "crust": (190, 125, 65),
    "dark": (72, 50, 38),
    "egg": (240, 222, 195),
    "flesh": (240, 220, 140),
    "glass": (150, 205, 190),
    "glow": (255, 244, 150),
    "gold": (222, 180, 60),
    "green": (70, 150, 80),
    "grey": (125, 125, 128),
    "ice": (200, 222, 235),
    "iron": (78, 80, 88),
    "leaf": (95, 165, 70),
    "lettuce": (140, 200, 90),
    "marble": (214, 210, 204),
    "mirror": (232, 246, 252),
    "oak": (198, 158, 108),
    "orange": (225, 120, 45),
    "paper": (222, 220, 208),
    "pink": (230, 150, 160),
    "porcelain": (244, 246, 248),
    "potato": (182, 142, 88),
    "red": (205, 50, 45),
    "rust": (150, 70, 50),
    "screen": (90, 150, 220),
    "shade": (214, 196, 160),
    "steel": (168, 174, 182),
    "tan": (222, 190, 140),
    "water": (90, 165, 240),
    "white": (238, 238, 236),
    "wine": (80, 30, 50),
    "wood": (150, 102, 62),
    "yellow": (240, 205, 60),
}

_BRIGHT = ((200, 70, 60), (70, 120, 190), (240, 200, 80), (90, 160, 110), (150, 90, 160))
_OWN: Mapping[str, tuple[Colour, ...]] = {
    "Apple": ((205, 40, 40), (130, 185, 60), (220, 90, 50)),
    "ArmChair": ((150, 90, 70), (90, 110, 140), (120, 130, 90)),
    "BaseballBat": ((200, 150, 90),),
    "Bed": ((90, 120, 170), (160, 100, 110), (110, 150, 130)),
    "Bowl": ((235, 235, 225), (90, 140, 190), (200, 120, 80)),
    "Cabinet": ((222, 206, 176),),
    "Candle": ((245, 240, 215), (210, 110, 110), (200, 190, 240)),
    "Cloth": ((200, 205, 215), (180, 160, 140)),
    "Cup": ((170, 210, 225), (240, 240, 240), (230, 150, 90)),
    "Drawer": ((205, 178, 138),),
    "GarbageCan": ((95, 105, 110),),
    "HandTowel": ((120, 180, 190), (225, 170, 160), (180, 190, 120)),
    "Kettle": ((190, 60, 55), (170, 176, 184)),
    "Plate": ((240, 240, 240), (200, 220, 240), (240, 225, 190)),
    "SoapBar": ((240, 200, 210), (190, 225, 190), (235, 225, 180)),
    "Sofa": ((105, 125, 150), (150, 110, 90), (120, 140, 110)),
    "Statue": ((200, 195, 185), (150, 120, 70), (110, 115, 120)),
}
"""What instances of a class vary over; a class not named varies over bright colours."""


def own_colour(object_type: str, number: int) -> Colour:
    """The colour of an instance, by a number that stands for it."""
    colours = _OWN.get(kind_of(object_type), _BRIGHT)
    return colours[number % len(colours)]


WALLS: Mapping[Room, Colour] = {
    "kitchen": (246, 234, 196),
    "living_room": (232, 222, 208),
    "bedroom": (218, 222, 238),
    "bathroom": (190, 226, 232),
}
FLOORS: Mapping[Room, Colour] = {
    "kitchen": (206, 198, 184),
    "living_room": (178, 130, 84),
    "bedroom": (196, 164, 126),
    "bathroom": (232, 238, 240),
}
CEILING: Colour = (250, 250, 248)

TILES_M: Mapping[Room, tuple[float, float]] = {
    "kitchen": (0.4, 0.4),
    "living_room": (20.0, 0.16),
    "bedroom": (0.2, 20.0),
    "bathroom": (0.25, 0.25),
}
"""Width and depth of the floor's tiles or boards; every second one is a little darker."""
