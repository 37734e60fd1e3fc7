"""What the environment says of an action, in the benchmark's words, and when.

The environment puts `SUCCEEDED` or `FAILED` before the message of the simulator. This is what each
message needs in the symbolic world; two of them cannot occur in it, since it has no geometry.

======================= ==========================================================================
message                 symbolic condition
======================= ==========================================================================
`FIND_NONE`             find: no instance of the class, or the named one is gone (it was sliced)
`Cannot move to X`      needs geometry (no free floor near X): never
`PICK_NONE`             pick: no instance of the class
`PICK_HIDDEN`           pick: the chosen instance is out of reach or shut in, and lies in or on R
`PICK_FULL`             pick: it is in reach, or lies nowhere, and the hand is full
`EMPTY_HAND`            pick: it lies on the floor out of reach; put, drop: the hand is empty
`PUT_FAILED`            put: no tried instance of R is a receptacle in reach, open, with room, and
                        not what is held; with "check whether" where the class has no second
                        instance to try
`PUT_DROPPED`           appended to a failing put that is the third or later on that name
`Drop action failed`    needs geometry (the hand collides): never
`OPEN_NONE`             open: no instance of the class
`OPEN_ALREADY`          open: it is open
`OPEN_FAILED`           open: out of reach, shut in, not openable, or a Microwave that is on
`CLOSE_NONE`            close: no instance of the class
`CLOSE_ALREADY`         close: it is closed
`CLOSE_FAILED`          close: out of reach, shut in or not openable
`TOGGLE_NONE`           turn on, turn off: no toggleable instance of the class
`TOGGLE_FAILED`         turn on, turn off: out of reach or already so; on: a Microwave that is open
`SLICE_NONE`            slice: no instance of the class
`SLICE_FAILED`          slice: the nearest instance is out of reach, in the hand, or a slice already
======================= ==========================================================================

"In reach" is `State.visible`; the room in a receptacle is `vocab.ROOM`.
"""

from __future__ import annotations

SUCCEEDED = "Last action executed successfully."
FAILED = "Last action is invalid. "

FIND_NONE = (
    "Cannot find {kind}. This object may not exist in this scene. "
    "Try to explore other instances instead."
)
PICK_NONE = "Cannot find {kind} to pick up. Find the object before picking up it"
PICK_HIDDEN = (
    "{kind} is not visible because it is in {receptacle}. Go there to pick the object instead."
)
PICK_FULL = "Robot is currently holding {held}"
EMPTY_HAND = "Robot is not holding any object"
PUT_FAILED = (
    "Putting the object on {kind} failed. First {check} the receptacle is open or not. "
    "Also try other instances of the receptacle"
)
PUT_DROPPED = ". The robot dropped the object instead."
OPEN_NONE = "Cannot find {kind} to open. Find the object before opening it"
OPEN_ALREADY = "Open action failed. The {kind} is already open"
OPEN_FAILED = "Open action failed."
CLOSE_NONE = "Cannot find {kind} to close"
CLOSE_ALREADY = "Close action failed. The {kind} is already closed"
CLOSE_FAILED = "Close action failed"
TOGGLE_NONE = "Cannot find {kind} to turn {way}"
TOGGLE_FAILED = "Turn {way} action failed"
SLICE_NONE = "Cannot find {kind} to slice"
SLICE_FAILED = "Slice action failed"
