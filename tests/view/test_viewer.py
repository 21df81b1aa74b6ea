"""The life of a viewer: its server, its thread, its end; and bad input."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from urllib.request import urlopen

import numpy as np
import pytest
import viser
from _listener import PATIENCE, Listener
from _processes import interrupted, output_of

import kido
from kido.errors import EditError, MissingDependencyError
from kido.view._viewer._inbox import Inbox
from kido.view._viewer._server import close_with_sockets, is_worth_telling


def test_importing_kido_and_its_views_leaves_viser_alone() -> None:
    assert output_of("import sys, kido, kido.view; kido.Viewer; print('viser' in sys.modules)") == "False\n"


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingDependencyError, match=r"pip install .*kido\[view\]"):
        kido.Viewer(kido.gallery.arm())


def test_a_port_in_use_moves_to_the_next_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        viewer = kido.Viewer(kido.gallery.arm(), port=port)
        viewer.on_frame(viewer.stop)
        viewer.run()
    said = capsys.readouterr().out
    assert f"port {port} is in use" in said
    assert viewer.address in said
    assert viewer.address != f"http://localhost:{port}"


def test_only_this_machine_is_let_in_by_default() -> None:
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    port = int(viewer.address.rsplit(":", 1)[1])
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    viewer.stop()


def port_of(viewer: kido.Viewer) -> int:
    return int(viewer.address.rsplit(":", 1)[1])


def test_stopping_ends_threads_and_frees_the_port(capfd: pytest.CaptureFixture[str]) -> None:
    before = set(threading.enumerate())
    with kido.Viewer(kido.gallery.arm(), port=0) as viewer:
        port = port_of(viewer)
        viewer.update()
        assert viewer.is_running
    assert not viewer.is_running
    viewer.stop()
    viewer.update()
    end = time.perf_counter() + PATIENCE
    while set(threading.enumerate()) - before and time.perf_counter() < end:
        time.sleep(0.01)
    assert set(threading.enumerate()) - before == set()
    socket.create_server(("127.0.0.1", port)).close()
    assert capfd.readouterr() == ("", "")


UPGRADE = (
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n\r\n"
)


@pytest.mark.parametrize("said", ["", "GET / HT", UPGRADE], ids=["nothing", "half a line", "no goodbye"])
def test_stopping_drops_connections_that_do_not_answer(said: str, capfd: pytest.CaptureFixture[str]) -> None:
    before = set(threading.enumerate())
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    with socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=PATIENCE) as far:
        far.sendall(said.encode())
        if said == UPGRADE:
            assert far.recv(12) == b"HTTP/1.1 101"
        with urlopen(viewer.address, timeout=PATIENCE) as page:  # the server knows of those before, too
            page.read()
        viewer.stop()
        assert [x for x in set(threading.enumerate()) - before if x.is_alive() and "Pool" not in x.name] == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("said", ["", "hello\r\n\r\n"])
def test_connections_that_ask_for_nothing_are_no_news(said: str, capfd: pytest.CaptureFixture[str]) -> None:
    with (
        kido.Viewer(kido.gallery.arm(), port=0) as viewer,
        socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=PATIENCE) as far,
    ):
        far.sendall(said.encode())
        far.shutdown(socket.SHUT_WR)
        while far.recv(4096):
            pass
    assert capfd.readouterr() == ("", "")


def test_other_servers_tell_of_their_connections() -> None:
    record = logging.makeLogRecord({"msg": "opening handshake failed"})
    assert is_worth_telling(record)
    record.websocket = SimpleNamespace(server=SimpleNamespace(handler=port_of))
    assert is_worth_telling(record)
    record.websocket.server.handler = viser.ViserServer.stop
    assert not is_worth_telling(record)
    record.msg = "connection handler failed"
    assert is_worth_telling(record)


def test_sockets_that_are_open_when_a_loop_ends_are_closed_with_it() -> None:
    loop = asyncio.new_event_loop()
    near, far = socket.socketpair()
    loop.run_until_complete(loop.connect_accepted_socket(asyncio.Protocol, near))
    close_with_sockets(loop)
    loop.close()
    assert loop.is_closed()
    assert near.fileno() == -1
    assert far.recv(1) == b""
    far.close()


@pytest.mark.parametrize("turns", range(5))
def test_a_connection_that_comes_while_a_server_closes_is_closed(turns: int) -> None:
    loop = asyncio.new_event_loop()
    close_with_sockets(loop)

    async def close_after(turns: int) -> socket.socket:
        server = await loop.create_server(asyncio.Protocol, "127.0.0.1", 0)
        far = socket.create_connection(server.sockets[0].getsockname(), timeout=PATIENCE)
        for _ in range(turns):
            await asyncio.sleep(0)
        server.close()
        for _ in range(5):
            await asyncio.sleep(0)
        return far

    with warnings.catch_warnings(record=True) as said, loop.run_until_complete(close_after(turns)) as far:
        warnings.simplefilter("always")
        loop.close()
        gc.collect()
        with suppress(ConnectionResetError):  # of a connection that nobody took up
            assert far.recv(1) == b""
    assert said == []


def test_a_frame_that_stops_the_viewer_ends_the_server() -> None:
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    port = int(viewer.address.rsplit(":", 1)[1])
    viewer.on_frame(viewer.stop)
    assert viewer.is_running
    viewer.update()
    assert not viewer.is_running
    socket.create_server(("127.0.0.1", port)).close()


def test_a_program_that_ends_without_stopping_says_nothing() -> None:
    program = "import kido; viewer = kido.Viewer(kido.gallery.arm(), port=0); viewer.update(); print('end')"
    assert output_of(program) == "end\n"


def test_calls_with_one_key_are_made_once_in_the_order_of_the_last() -> None:
    inbox, made = Inbox(), []
    for key, name in (("slider", "first"), (None, "button"), ("slider", "last"), (None, "again")):
        inbox.put(lambda name=name: made.append(name), key)
    for call in inbox.take():
        call()
    assert made == ["button", "last", "again"]
    assert inbox.take() == []


def test_ctrl_c_ends_a_running_viewer() -> None:
    program = """
import kido
viewer = kido.Viewer(kido.World([kido.gallery.pendulum()]), port=0)
viewer.play()
viewer.run()
print(viewer.is_running)
"""
    seconds, out = interrupted(program, after=1.0)
    assert out == "False\n"
    assert seconds < 20.0


def test_a_viewer_waits_for_no_condition_between_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C as the wait for one ends can raise RuntimeError for a lock that is released twice."""
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    wait, waited = threading.Condition.wait, []

    def noted(condition: threading.Condition, timeout: float | None = None) -> bool:
        waited.append(threading.current_thread())
        return wait(condition, timeout)

    frames: list[None] = []
    viewer.on_frame(lambda: frames.append(None))
    viewer.on_frame(lambda: viewer.stop() if len(frames) == 5 else None)
    monkeypatch.setattr(threading.Condition, "wait", noted)
    viewer.run()
    assert threading.main_thread() not in waited


def test_frames_of_two_threads_are_refused() -> None:
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    inside, done = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        done.wait(PATIENCE)

    viewer.on_frame(wait)
    other = threading.Thread(target=viewer.update)
    other.start()
    inside.wait(PATIENCE)
    with pytest.raises(EditError, match="another thread"):
        viewer.update()
    done.set()
    other.join()
    viewer.stop()


def test_a_cell_shows_the_page_and_frames_between_cells() -> None:
    frames: list[None] = []

    async def notebook() -> str:
        viewer = kido.Viewer(kido.gallery.arm(), port=0)
        viewer.on_frame(lambda: frames.append(threading.get_ident()))
        shown = viewer._repr_html_()
        assert viewer._repr_html_() == shown
        end = time.perf_counter() + PATIENCE
        while len(frames) <= 3 and time.perf_counter() < end:
            await asyncio.sleep(0.05)
        viewer.stop()
        await asyncio.sleep(0.05)
        return shown.replace(viewer.address, "ADDRESS")

    assert '<iframe src="ADDRESS"' in asyncio.run(notebook())
    assert len(frames) > 3
    assert set(frames) == {threading.get_ident()}


def test_frames_come_at_most_sixty_times_a_second() -> None:
    viewer = kido.Viewer(kido.gallery.arm(), port=0)
    times: list[float] = []

    def count() -> None:
        times.append(time.perf_counter())
        if len(times) == 13:
            viewer.stop()

    viewer.on_frame(count)
    begin = time.perf_counter()
    viewer.run()
    assert times[-1] - begin > 12 * 0.9 / 60


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda v: v.add_slider("", 0, 1), ValueError, "label"),
        (lambda v: v.add_slider("a", 1, 1), ValueError, "high: expected more than low"),
        (lambda v: v.add_slider("a", 0, np.inf), ValueError, "high"),
        (lambda v: v.add_slider("a", 0, 1, value=2), ValueError, "value: expected 0 to 1, got 2"),
        (lambda v: v.add_slider("a", 0, 1, step=0), ValueError, "step"),
        (lambda v: v.add_slider("a", 0, 1, on_change=3), TypeError, "on_change: expected a function"),
        (lambda v: v.add_button("a", None), TypeError, "on_click: expected a function"),
        (lambda v: v.add_checkbox("a", 1), TypeError, "value"),
        (lambda v: v.add_choice("a", []), ValueError, "options"),
        (lambda v: v.add_choice("a", ["b", "b"]), ValueError, "options"),
        (lambda v: v.add_choice("a", ["b"], value="c"), ValueError, "value"),
        (lambda v: v.add_plot("a", lambda: [1, 2], names=["x"]), ValueError, "names: expected 2"),
        (lambda v: v.add_plot("a", lambda: "x"), (TypeError, ValueError), "a"),
        (lambda v: v.add_plot("a", None), TypeError, "call"),
        (lambda v: v.add_plot("a", lambda: 1, seconds=0), ValueError, "seconds"),
        (lambda v: v.on_frame(3), TypeError, "call"),
        (lambda v: v.on_key("no such key", print), ValueError, "key"),
        (lambda v: v.add_gizmo(kido.WORLD), TypeError, "part"),
        (lambda v: v.add_gizmo(kido.SimpleFrame(), line=(0, 0, 0)), ValueError, "line: expected a direction"),
        (lambda v: v.add_gizmo(kido.SimpleFrame(), line=(1, 0, 0), plane=(1, 0, 0)), ValueError, "got both"),
        (lambda v: v.add_gizmo(kido.SimpleFrame(), size=0), ValueError, "size"),
        (lambda v: v.follow(3), TypeError, "ik"),
        (lambda v: v.play(), EditError, "no world"),
        (lambda v: v.reset(), EditError, "no world"),
        (lambda v: setattr(v, "speed", 1.0), EditError, "no world"),
        (lambda v: setattr(v, "selected", 3), TypeError, "selected"),
        (lambda v: setattr(v, "layers", ["nothing"]), ValueError, "layers"),
    ],
)
def test_bad_input_is_named(call: Callable[[kido.Viewer], object], error: type, words: str) -> None:
    with kido.Viewer(kido.gallery.arm(), port=0) as viewer, pytest.raises(error, match=words):
        call(viewer)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: kido.Viewer(3), TypeError, "what"),
        (lambda: kido.Viewer([kido.World(), kido.World()]), ValueError, "at most one World or recording"),
        (lambda: kido.Viewer(kido.World(), port=-1), ValueError, "port: expected 0 to 65535, got -1"),
        (lambda: kido.Viewer(kido.World(), port=1.5), TypeError, "port"),
        (lambda: kido.Viewer(kido.World(), host=""), ValueError, "host"),
        (lambda: kido.Viewer(kido.World(), camera="behind"), ValueError, "camera"),
        (lambda: kido.Viewer(kido.World(), layers=["nothing"]), ValueError, "layers"),
        (lambda: kido.Viewer(kido.World(), host="203.0.113.1"), OSError, "address"),
    ],
)
def test_what_cannot_be_shown_is_refused_and_leaves_no_server(
    make: Callable[[], kido.Viewer], error: type, words: str
) -> None:
    before = set(threading.enumerate())
    with pytest.raises(error, match=words):
        make()
    assert set(threading.enumerate()) <= before  # those of viewers that were stopped may end meanwhile


def test_sliders_show_angles_in_degrees() -> None:
    arm = kido.gallery.arm()
    with kido.Viewer(arm, port=0, degrees=True) as viewer:
        listener = Listener(viewer)
        sliders = {m["props"]["label"]: m for m in listener.of_type("GuiSliderMessage")}
        elbow = sliders["elbow"]
        assert elbow["props"]["hint"] == "[deg]"
        np.testing.assert_allclose(
            [elbow["props"]["min"], elbow["props"]["max"]], np.degrees([-2.6, 2.6]), rtol=1e-6
        )
        listener.set_value("elbow", 90.0)
        listener.until(lambda: abs(arm.dof("elbow").position - np.pi / 2) < 1e-9)
        viewer.selected = arm.body("forearm")
        text = [m["updates"]["_markdown"] for m in listener_updates(listener)]
        assert any("90 deg" in told and "rad" not in told for told in text)
    with pytest.raises(TypeError, match="degrees"):
        kido.Viewer(arm, port=0, degrees="yes")


def listener_updates(listener: Listener) -> list:
    """Changes of texts, after some frames."""
    listener.frames(0.5)
    return [m for m in listener.of_type("GuiUpdateMessage") if "_markdown" in m["updates"]]
