"""What can be carried: each class as a few solids, in metres.

Sizes are usual ones; small things are a little larger than life, to be seen at all. What opens is
in `fittings`.
"""

from __future__ import annotations

from collections.abc import Mapping

from journeyman.envs.household.render.solids import (
    Shape,
    ball,
    block,
    bottle,
    box,
    cutlery,
    cylinder,
    turned,
    vessel,
)

THINGS: Mapping[str, Shape] = {
    "AlarmClock": (
        box(0.13, 0.1, 0.06),
        box(0.11, 0.08, 0.004, "white", y=0.01, z=0.032),
        box(0.008, 0.035, 0.004, "black", y=0.045, z=0.036),
    ),
    "Apple": (ball(0.042), box(0.008, 0.025, 0.008, "dark", y=0.08)),
    "AppleSliced": (turned((0.04, 0), (0.04, 0.012), colour="cream"),),
    "BaseballBat": (
        turned((0.015, -0.4), (0.018, -0.1), (0.034, 0.2), (0.034, 0.4), y=0.034, axis="x"),
    ),
    "BasketBall": (ball(0.12, "orange"), turned((0.121, 0.115), (0.121, 0.125), colour="black")),
    "Book": (box(0.16, 0.035, 0.22), box(0.15, 0.025, 0.222, "white", x=0.006, y=0.005)),
    "Boots": (box(0.09, 0.2, 0.1, "dark", z=-0.08), box(0.09, 0.08, 0.26, "dark")),
    "Bowl": (vessel(0.045, 0.095, 0.07),),
    "Bread": (box(0.22, 0.08, 0.1, "crust"), box(0.2, 0.03, 0.07, "crust", y=0.08)),
    "BreadSliced": (box(0.02, 0.1, 0.1, "cream"), box(0.012, 0.104, 0.104, "crust")),
    "ButterKnife": cutlery(box(0.09, 0.008, 0.024, "chrome", x=0.08)),
    "CD": (turned((0.07, 0), (0.07, 0.006), colour="ice", sides=12), cylinder(0.02, 0.008, "own")),
    "Candle": (cylinder(0.035, 0.11), box(0.006, 0.02, 0.006, "black", y=0.11)),
    "CellPhone": (box(0.08, 0.012, 0.16, "black"), box(0.068, 0.003, 0.135, "screen", y=0.012)),
    "Cloth": (box(0.2, 0.015, 0.16), box(0.15, 0.02, 0.1, x=0.02, y=0.01)),
    "CreditCard": (box(0.1, 0.006, 0.065), box(0.1, 0.008, 0.012, "black", z=-0.018)),
    "Cup": (vessel(0.03, 0.042, 0.12),),
    "DishSponge": (box(0.11, 0.03, 0.075, "yellow"), box(0.11, 0.012, 0.075, "green", y=0.03)),
    "Egg": (ball(0.027, "egg", tall=1.25),),
    "Fork": cutlery(box(0.06, 0.008, 0.035, "chrome", x=0.075)),
    "Glassbottle": bottle(0.035, 0.22, "glass", "steel"),
    "HandTowel": (box(0.26, 0.05, 0.18), box(0.26, 0.012, 0.02, "white", y=0.045, z=0.06)),
    "Kettle": (
        turned((0.1, 0), (0.1, 0.08), (0.06, 0.15), colour="own", sides=10),
        box(0.02, 0.09, 0.02, "black", x=-0.06, y=0.13),
        box(0.02, 0.09, 0.02, "black", x=0.06, y=0.13),
        box(0.14, 0.02, 0.02, "black", y=0.21),
        block(0.08, 0.16, 0.09, 0.12, -0.015, 0.015, "own"),
    ),
    "KeyChain": (
        turned((0.035, 0), (0.035, 0.008), (0.024, 0.008), colour="gold"),
        box(0.07, 0.008, 0.02, "gold", x=0.06),
        box(0.02, 0.008, 0.065, "steel", z=0.05),
    ),
    "Knife": (
        box(0.12, 0.02, 0.028, "black", x=-0.09),
        box(0.2, 0.008, 0.04, "chrome", x=0.07),
    ),
    "Ladle": (
        box(0.24, 0.01, 0.018, "steel", x=-0.06),
        turned((0.025, 0), (0.042, 0.04), (0.036, 0.04), colour="steel", x=0.09),
    ),
    "Lettuce": (ball(0.075, "lettuce", tall=0.85), ball(0.05, "leaf", y=0.045, tall=0.9)),
    "LettuceSliced": (box(0.1, 0.02, 0.08, "leaf"),),
    "Mug": (
        vessel(0.038, 0.044, 0.1),
        block(0.04, 0.078, 0.075, 0.09, -0.01, 0.01),
        block(0.04, 0.078, 0.02, 0.035, -0.01, 0.01),
        block(0.064, 0.078, 0.02, 0.09, -0.01, 0.01),
    ),
    "Newspaper": (
        box(0.3, 0.018, 0.22, "paper"),
        box(0.24, 0.002, 0.04, "black", y=0.018, z=-0.07),
        box(0.24, 0.002, 0.008, "grey", y=0.018, z=0.0),
        box(0.24, 0.002, 0.008, "grey", y=0.018, z=0.03),
        box(0.24, 0.002, 0.008, "grey", y=0.018, z=0.06),
    ),
    "Pan": (
        turned((0.11, 0), (0.13, 0.045), (0.12, 0.045), (0.105, 0.01), colour="iron", sides=12),
        box(0.2, 0.02, 0.03, "black", x=0.22, y=0.03),
    ),
    "PaperTowelRoll": (cylinder(0.055, 0.24, "white"), cylinder(0.018, 0.244, "tan")),
    "Pen": (box(0.15, 0.014, 0.014), box(0.03, 0.016, 0.016, "black", x=0.07)),
    "Pencil": (box(0.16, 0.012, 0.012, "yellow"), box(0.03, 0.014, 0.014, "pink", x=-0.08)),
    "PepperShaker": (cylinder(0.025, 0.08, "iron"), cylinder(0.026, 0.025, "steel", y=0.08)),
    "Pillow": (box(0.5, 0.08, 0.34, y=0.02), box(0.42, 0.12, 0.27)),
    "Plate": (turned((0.07, 0), (0.13, 0.02), (0.12, 0.022), (0.075, 0.008), sides=12),),
    "Plunger": (
        turned((0.09, 0), (0.05, 0.09), colour="red"),
        cylinder(0.013, 0.42, "oak", y=0.09, sides=6),
    ),
    "Pot": (
        turned((0.11, 0), (0.115, 0.13), (0.107, 0.13), (0.1, 0.012), colour="steel", sides=12),
        box(0.32, 0.015, 0.03, "black", y=0.1),
    ),
    "Potato": (ball(0.04, "potato", tall=0.8), ball(0.034, "potato", tall=0.85, x=0.03)),
    "PotatoSliced": (turned((0.036, 0), (0.036, 0.012), colour="flesh"),),
    "RemoteControl": (
        box(0.055, 0.02, 0.2, "black"),
        box(0.03, 0.004, 0.03, "red", y=0.02, z=-0.07),
        box(0.035, 0.004, 0.08, "grey", y=0.02, z=0.01),
    ),
    "SaltShaker": (cylinder(0.025, 0.08, "white"), cylinder(0.026, 0.025, "steel", y=0.08)),
    "ScrubBrush": (box(0.06, 0.05, 0.06, "white"), box(0.02, 0.3, 0.02, "blue", y=0.05)),
    "SoapBar": (box(0.09, 0.03, 0.06), box(0.07, 0.006, 0.04, "white", y=0.03)),
    "SoapBottle": (
        *bottle(0.04, 0.17, "own", "white"),
        block(0, 0.05, 0.165, 0.18, -0.01, 0.01, "white"),
    ),
    "Spatula": (
        box(0.2, 0.012, 0.02, "black", x=-0.08),
        box(0.11, 0.008, 0.08, "iron", x=0.075),
    ),
    "Spoon": cutlery(turned((0.02, 0), (0.024, 0.01), colour="chrome", x=0.065)),
    "SprayBottle": (
        turned((0.045, 0), (0.045, 0.13), (0.018, 0.17), (0.018, 0.2)),
        block(-0.03, 0.07, 0.2, 0.24, -0.018, 0.018, "white"),
        block(0.03, 0.045, 0.15, 0.2, -0.01, 0.01, "red"),
    ),
    "Statue": (
        box(0.1, 0.04, 0.1, "dark"),
        turned((0.035, 0.04), (0.05, 0.13), (0.02, 0.19), colour="own"),
        ball(0.03, "own", y=0.18),
    ),
    "TeddyBear": (
        ball(0.1, "crust", tall=1.1),
        ball(0.075, "crust", y=0.2),
        ball(0.03, "crust", x=-0.06, y=0.32),
        ball(0.03, "crust", x=0.06, y=0.32),
    ),
    "TennisRacket": (
        turned((0.13, 0), (0.13, 0.02), (0.11, 0.02), colour="own", x=0.14, sides=12),
        turned((0.108, 0.008), (0.108, 0.022), colour="cream", x=0.14, sides=12),
        box(0.3, 0.025, 0.03, "black", x=-0.13),
    ),
    "TissueBox": (box(0.22, 0.09, 0.12), box(0.09, 0.05, 0.03, "white", y=0.09)),
    "ToiletPaper": (cylinder(0.055, 0.1, "white"), cylinder(0.02, 0.103, "tan")),
    "Tomato": (ball(0.042, "red", tall=0.85), box(0.03, 0.012, 0.03, "leaf", y=0.068)),
    "TomatoSliced": (turned((0.038, 0), (0.038, 0.012), colour="red"),),
    "Towel": (box(0.4, 0.08, 0.26),),
    "Vase": (
        turned((0.04, 0), (0.075, 0.09), (0.03, 0.19), (0.05, 0.24), (0.042, 0.24), (0.02, 0.15)),
    ),
    "Watch": (
        turned((0.035, 0), (0.035, 0.018), colour="gold"),
        turned((0.026, 0.018), (0.026, 0.021), colour="white"),
        box(0.14, 0.008, 0.03, "dark"),
    ),
    "WateringCan": (
        turned((0.09, 0), (0.08, 0.16), (0.07, 0.16), (0.08, 0.02)),
        block(0.07, 0.22, 0.1, 0.13, -0.015, 0.015),
        block(-0.15, -0.07, 0.03, 0.15, -0.012, 0.012),
    ),
    "WineBottle": bottle(0.04, 0.3, "wine", "red"),
}
