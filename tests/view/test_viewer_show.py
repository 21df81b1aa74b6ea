"""A viewer that shows something else: what goes, and what browsers get."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from _listener import Listener

import kido
from kido.errors import EditError


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


def test_browsers_get_the_new_scene_alone_and_look_from_its_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.view._viewer._removals._DELAY", 0.2)
    with kido.Viewer(falling("first"), port=0) as viewer:
        listener = Listener(viewer)
        del listener.windows[:]
        viewer.show(kido.gallery.arm(), camera=((5.0, 6.0, 7.0), (1.0, 2.0, 3.0), (0.0, 0.0, 1.0)))
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


def test_what_is_removed_is_gone_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.view._viewer._removals._DELAY", 0.1)
    world = falling("first")
    with kido.Viewer(world, port=0) as viewer:
        listener = Listener(viewer)
        called = []
        kept, gone = (viewer.add_gizmo(kido.SimpleFrame(name)) for name in ("kept", "gone"))
        dragged = viewer.add_gizmo(world.skeletons[1].bodies[0])
        plot = viewer.add_plot("height", lambda: called.append(1) or 1.0)
        widgets = [viewer.add_slider("push", 0, 1), viewer.add_text("words"), viewer.add_button("go", print)]
        viewer.update()
        assert called
        for part in (gone, dragged, plot, *widgets):
            part.remove()
        gone.remove()
        del called[:]
        viewer.play()
        listener.until(lambda: len(listener.of_type("GuiRemoveMessage")) == 4)
        listener.until(lambda: len(listener.of_type("RemoveSceneNodeMessage")) >= 2)
        assert viewer.gizmos == (kept,)
        assert viewer.errors == ()
        assert called == []


def test_a_cell_of_a_stopped_viewer_says_so() -> None:
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    viewer.stop()
    assert "stopped" in viewer._repr_html_()
    assert "iframe" not in viewer._repr_html_()


def test_what_browsers_see_no_more_is_hidden_first_and_removed_once_they_had_time_to_draw_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SimpleNamespace(monotonic=lambda: clock.now, now=100.0)
    monkeypatch.setattr("kido.view._viewer._removals.time", clock)
    with kido.Viewer(falling("first"), port=0) as viewer:
        slider = viewer.add_slider("push", 0, 1)
        listener = Listener(viewer)
        known = listener.widget("push")
        del listener.windows[:]
        viewer.show(falling("second"))
        with pytest.raises(EditError, match="removed"):
            slider.value = 0.5
        clock.now += 9.9
        listener.frames(0.3)
        hidden = {
            m["uuid"] for m in listener.of_type("GuiUpdateMessage") if m["updates"].get("visible") is False
        }
        assert len(hidden) == 1
        assert listener.of_type("GuiRemoveMessage") == []
        clock.now += 0.2
        listener.until(lambda: listener.of_type("GuiRemoveMessage"))
        listener.catch_up()
        removed = {m["uuid"] for m in listener.of_type("GuiRemoveMessage")}
        assert hidden | {known} <= removed
        first = min(
            k
            for k, (_, told) in enumerate(listener.windows)
            if any(m["type"] == "GuiRemoveMessage" for m in told)
        )
        changed = {
            m["uuid"] for _, told in listener.windows[:first] for m in told if m["type"] == "GuiUpdateMessage"
        }
        assert changed & removed == hidden


def test_a_widget_that_was_removed_takes_no_value() -> None:
    with kido.Viewer(falling("first"), port=0) as viewer:
        slider, plot = viewer.add_slider("push", 0, 1), viewer.add_plot("one", lambda: 1.0)
        for widget in (slider, plot, slider, plot):
            widget.remove()
        with pytest.raises(EditError, match="removed"):
            slider.value = 0.5
        viewer.update()
        assert viewer.errors == ()


def test_a_body_whose_skeleton_leaves_the_world_is_selected_no_more() -> None:
    world = falling("first")
    other = kido.gallery.box(name="other")
    other.positions = [0, 0, 0, 3.0, 0, 2.0]
    world.add(other)
    with kido.Viewer(world, port=0) as viewer:
        viewer.selected = other.bodies[0]
        viewer.update()
        assert viewer.selected is other.bodies[0]
        world.remove(other)
        viewer.update()
        assert viewer.selected is None
        assert viewer.errors == ()
