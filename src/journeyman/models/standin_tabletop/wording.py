"""Lessons in the stand-in's own words, varied by chance."""

from __future__ import annotations

from types import MappingProxyType

WORDINGS = MappingProxyType(
    {
        "colours": (
            "Compare all the colours of a thing, the second one too.",
            "Look at every colour before choosing, not only at the main colour.",
            "When matching, check the secondary colour as well as the main one.",
            "Things that share one main colour may differ: compare all their colours.",
        ),
        "pattern": (
            "Compare the pattern, not only the colour.",
            "Things of one colour can differ in texture: check the pattern before choosing.",
            "Look at the texture of a thing when you match it, stripes and dots included.",
            "When colours agree, let the pattern decide.",
        ),
        "outline": (
            "Compare the outline of the things as well.",
            "Look at the shape before choosing an entity.",
            "When matching, check that the contour is the same, however it is turned.",
            "Among things of the same texture, decide by the outline.",
        ),
        "size": (
            "Compare the size of the things and count their holes.",
            "Check the number of holes and how large a thing is.",
            "When matching, look at the size too.",
            "Consider size and openings before you decide.",
        ),
        "light": (
            "Ignore brightness when matching, because the light may differ.",
            "Do not judge by how bright or dark a thing is.",
            "The lighting varies between pictures, so disregard brightness.",
            "Differences in shading mean nothing: the light changes.",
        ),
        "container": (
            "Do not take the container for the object.",
            "An object may lie in a container; look at what is inside it.",
            "Never mistake a base for the thing that lies in it.",
            "Check what lies inside a container when the object is not found by itself.",
        ),
        "clockwise": (
            "A positive angle turns clockwise, so keep the sign as the instruction has it.",
            "Angles in instructions are clockwise and positive.",
            "Give a positive angle to rotate clockwise.",
            "Use negative angles only for a counter-clockwise turn.",
        ),
        "order": (
            "Visit the places in the order in which the instruction names them.",
            "Put the object into the base that is named first, then into the second one.",
            "Keep the order of the places that the instruction gives.",
            "Go through the bases in the named sequence.",
        ),
        "restore": (
            "At the end, bring every object back to its original place where the instruction asks.",
            "Finally return the objects to where they came from if restoring is asked for.",
            "When the instruction says restore, move everything back last.",
            "Finish by putting the object back into its original place.",
        ),
        "blocker": (
            "First move away whatever lies on a target place.",
            "Clear the target location of obstacles before placing an object there.",
            "If something occupies the destination, move it aside first.",
            "Remove what blocks the goal position before anything else.",
        ),
        "source": (
            "Pick a thing up where it lies now, not where the picture shows it.",
            "Grip objects at their current location on the table.",
            "The pick location is that of the entity in the environment, not the picture's.",
            "Take an object from the place where it was last put down.",
        ),
        "all_objects": (
            "Move every object that the picture shows.",
            "Rearrange all the objects, not only the first one.",
            "Bring each pictured thing to its place.",
            "The plan has to move all of the objects in the scene.",
        ),
        "object_to_base": (
            "Pick the object and place it onto the base, not the other way round.",
            "Grip the object, never the container.",
            "Bases are fixed, so never pick the base up; take the object to the base.",
            "The object goes into the container: pick the object, place at the container.",
        ),
    }
)

EMPTY = (
    "Be careful and work step by step.",
    "Make sure that everything is right before acting.",
    "Think twice about the task.",
)
