"""The viewer: a tower of boxes that is pushed by a slider, a button and the mouse, and a plot of its height.

    python examples/30_viewer.py --show

prints an address to open in a browser; without `--show` it lets some frames pass and ends.
"""

import sys

import kido

boxes = [kido.gallery.box(size=(0.3, 0.3, 0.2)) for _ in range(6)]
for i, box in enumerate(boxes):
    box.name = f"box {i}"
    box.positions = [0, 0, 0.4 * i, 0, 0, 0.1 + 0.2 * i]  # [rad, m]
world = kido.World([kido.gallery.ground(), *boxes])
middle = boxes[3].bodies[0]

viewer = kido.Viewer(world, port=8080 if "--show" in sys.argv else 0)
force = viewer.add_slider("force [N]", 0, 200)
viewer.add_button("push for 0.1 s", lambda: push(steps=100))
viewer.add_plot("height [m]", lambda: boxes[-1].com()[2])


def push(steps):
    """Push the middle box along x for some steps."""
    for _ in range(steps):
        middle.add_external_force((force.value, 0.0, 0.0))
        world.step()


viewer.play()
if "--show" in sys.argv:
    viewer.run()  # until Ctrl-C
else:
    while world.time < 0.5:
        viewer.update()
    force.value = 150.0
    push(steps=100)
    assert middle.linear_velocity()[0] > 0.1  # it slides out
    viewer.reset()
    assert world.time == 0.0 and abs(boxes[-1].com()[2] - 1.1) < 1e-12
    viewer.stop()
    print(viewer)
