"""The end of the interpreter while other threads are in native calls."""

from __future__ import annotations

import pytest
from _processes import output_of

EXIT = """
import sys, threading, time
import numpy as np
import kido

robot = kido.gallery.humanoid()
tree, rng = robot.tree, np.random.default_rng(0)
q, v, a = rng.uniform(-1.0, 1.0, (3, 20000, tree.num_dofs))
w, T = rng.uniform(-1.0, 1.0, (200000, 3)), np.eye(4)
arm = kido.gallery.arm7()
ik = arm.bodies[-1].create_ik() if hasattr(arm.bodies[-1], "create_ik") else None
calls = {
    "batch": lambda: tree.inverse_dynamics(q, v, a),
    "rows": lambda: kido.math.so3_exp(w),
}
kido.set_num_threads(int(sys.argv[2]))
begun = threading.Event()

def ask():
    while True:
        begun.set()
        calls[sys.argv[1]]()

for _ in range(3):
    threading.Thread(target=ask, daemon=True).start()
begun.wait()
time.sleep(float(sys.argv[3]))
print("done")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("call", ["batch", "rows"])
def test_the_interpreter_ends_while_daemon_threads_are_in_native_calls(call: str, threads: str) -> None:
    for pause in ("0.0", "0.03"):
        assert output_of(EXIT, call, threads, pause) == "done\n"
