"""A viewer that shows something else: what goes, and what browsers get."""

from __future__ import annotations

import numpy as np
import pytest
from _listener import Listener

import kido


def falling(name: str) -> kido.World:
    box = kido.gallery.box(name=name)
    box.positions = [0, 0, 0, 0, 0, 2.0]
    return kido.World([kido.gallery.ground(), box], name=name)


def test_what_was_shown_goes_with_all_that_belonged_to_it() -> None:
    first, second = falling("first"), falling("second")
    called = []
    with kido.Viewer(first, port=0) as viewer:
        address = viewer.address
        viewer.add_slider("push", 0, 1)
        viewer.add_gizmo(kido.SimpleFrame())
        viewer.on_frame(lambda: called.append("old"))
        viewer.play()
        viewer.update()
        viewer.show(second)
        del called[:]
        before = first.num_steps
        viewer.on_frame(lambda: called.append("new"))
        viewer.play()
        for _ in range(20):
            viewer.update()
        assert viewer.address == address
        assert set(called) == {"new"}
        assert viewer.gizmos == ()
        assert viewer.skeletons == second.skeletons
        assert second.num_steps > 0
        assert first.num_steps == before
        assert viewer.errors == ()


def test_browsers_get_the_new_scene_alone_and_look_from_its_camera() -> None:
    with kido.Viewer(falling("first"), port=0) as viewer:
        listener = Listener(viewer)
        viewer.show(kido.gallery.arm(), camera=((5.0, 6.0, 7.0), (1.0, 2.0, 3.0), (0.0, 0.0, 1.0)))
        del listener.windows[:]
        listener.frames(0.5)
        late = Listener(viewer)
        late.frames(0.5)
        for heard in (listener, late):
            kinds = {message["type"] for message in heard.messages}
            assert "BatchedMeshesMessage" in kinds
            places = [m["position"] for m in heard.messages if m["type"] == "SetCameraPositionMessage"]
            assert np.allclose(places[-1], (5.0, 6.0, 7.0))
            labels = [m["label"] for m in heard.messages if m["type"] == "SetGuiPanelLabelMessage"]
            assert labels[-1] == "arm"
        folders = {m["props"]["label"] for m in late.messages if m["type"] == "GuiFolderMessage"}
        assert "Simulation" not in folders


def test_a_frame_may_show_something_else() -> None:
    with kido.Viewer(falling("first"), port=0) as viewer:
        second = falling("second")
        viewer.add_button("other", lambda: None)
        viewer.on_frame(lambda: viewer.show(second, title="other"))
        viewer.update()
        viewer.update()
        assert viewer.skeletons == second.skeletons
        assert viewer.errors == ()


def test_keys_of_what_was_shown_do_nothing_any_more() -> None:
    with kido.Viewer(falling("first"), port=0) as viewer:
        viewer.on_key("k", lambda: None)
        viewer.show(kido.gallery.arm())
        late = Listener(viewer)
        late.frames(0.3)
        commands = [m for m in late.messages if m["type"] == "RegisterCommandMessage"]
        assert commands == []


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"what": 3}, TypeError, "what"),
        ({"camera": "behind"}, ValueError, "camera"),
        ({"layers": ["nothing"]}, ValueError, "layers"),
        ({"title": ""}, ValueError, "title"),
    ],
)
def test_what_cannot_be_shown_leaves_everything_as_it_is(options: dict, error: type, words: str) -> None:
    world = falling("first")
    with kido.Viewer(world, port=0) as viewer:
        slider = viewer.add_slider("push", 0, 1, value=0.5)
        with pytest.raises(error, match=words):
            viewer.show(**{"what": kido.gallery.arm(), **options})
        viewer.update()
        assert viewer.skeletons == world.skeletons
        assert slider.value == 0.5
