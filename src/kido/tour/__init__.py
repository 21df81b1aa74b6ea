"""The tour: scenes to click through in a browser, and a picture of each."""

from kido.tour._pictures import draw_scene
from kido.tour._scene import TourScene
from kido.tour._stage import Stage
from kido.tour._table import SCENES, scene_of
from kido.tour._tour import Tour
from kido.tour._trails import Trails

__all__ = ["SCENES", "Stage", "Tour", "TourScene", "Trails", "draw_scene", "scene_of"]
