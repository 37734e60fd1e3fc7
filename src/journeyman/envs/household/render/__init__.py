"""The household's egocentric picture, drawn when somebody looks."""

from journeyman.envs.household.render.picture import NOTHING, Moment, Picture, draw, render

__all__ = ["NOTHING", "Moment", "Picture", "draw", "render"]
