"""A scene beside MuJoCo's own compiled model of the same file."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from kido.description import LinkDescription, RobotDescription, SceneDescription
from kido.io import read_mjcf, read_mjcf_string
from kido.shape import Box, Capsule, Cylinder, Ellipsoid, Sphere
from kido.tree import Tree

FREE, BALL = 0, 1
NUM_DOFS = {FREE: 6, BALL: 3}


def wrap(body: str) -> str:
    return f"<mujoco>{body}</mujoco>"


class Twins:
    """A scene and a compiled model: names of one are those of the other."""

    def __init__(self, scene: SceneDescription, model: mujoco.MjModel) -> None:
        self.scene = scene
        self.model = model
        self.robots: dict[str, RobotDescription] = {}
        for placed in (*scene.robots, *scene.objects):
            self.robots[placed.name] = placed.placed()
        self.trees = {
            name: Tree.from_description(robot, gravity=scene.gravity) for name, robot in self.robots.items()
        }
        self.owner = {link.name: name for name, robot in self.robots.items() for link in robot.links}
        self.first: dict[str, int] = {}
        for name in self.trees:
            self.first[name] = sum(self.trees[other].num_dofs for other in self.first)
        self.dofs = list(self._dofs())

    @classmethod
    def of_file(cls, path: Path) -> Twins:
        return cls(read_mjcf(path), mujoco.MjModel.from_xml_path(str(path)))

    @classmethod
    def of_text(cls, body: str, directory: Path | None = None) -> Twins:
        if directory is None:
            return cls(read_mjcf_string(wrap(body)), mujoco.MjModel.from_xml_string(wrap(body)))
        (directory / "model.xml").write_text(wrap(body))
        return cls.of_file(directory / "model.xml")

    def body_name(self, body: int) -> str:
        return self.model.body(body).name or f"body{body}"

    def link(self, body: int) -> LinkDescription:
        name = self.body_name(body)
        return self.robots[self.owner[name]].link(name)

    def _dofs(self):
        """Owner, joint and range of dofs of each joint of the model, in its order."""
        used = dict.fromkeys(self.trees, 0)
        for j in range(self.model.njnt):
            owner = self.owner[self.body_name(self.model.jnt_bodyid[j])]
            tree = self.trees[owner]
            moving = [name for name in tree.joint_names if len(tree.joint_dofs(name))]
            name = moving[used[owner]]
            used[owner] += 1
            dofs = tree.joint_dofs(name)
            given = self.model.joint(j).name
            assert given in ("", name) or name == "root_joint"
            assert len(dofs) == NUM_DOFS.get(self.model.jnt_type[j], 1)
            yield owner, name, np.arange(dofs.start, dofs.stop)

    def random_qpos(self, seed: int) -> np.ndarray:
        qpos = np.random.default_rng(seed).uniform(-1.0, 1.0, self.model.nq)
        mujoco.mj_normalizeQuat(self.model, qpos)
        return qpos

    def positions(self, qpos: np.ndarray) -> dict[str, np.ndarray]:
        """Positions of each robot and object."""
        result = {name: np.zeros(tree.num_dofs) for name, tree in self.trees.items()}
        for j, (owner, name, dofs) in enumerate(self.dofs):
            at, kind = self.model.jnt_qposadr[j], self.model.jnt_type[j]
            if kind == FREE:
                start = self.robots[owner].joint(name).T_parent_joint
                turn = Rotation.from_quat(qpos[at + 3 : at + 7], scalar_first=True).as_matrix()
                shift = start[:3, :3].T @ (qpos[at : at + 3] - start[:3, 3])
                vector = Rotation.from_matrix(start[:3, :3].T @ turn).as_rotvec()
                result[owner][dofs] = [*vector, *shift]
            elif kind == BALL:
                result[owner][dofs] = Rotation.from_quat(qpos[at : at + 4], scalar_first=True).as_rotvec()
            else:
                result[owner][dofs] = qpos[at]
        return result

    def velocity_map(self, qpos: np.ndarray) -> np.ndarray:
        """Velocities of the model by those of all robots and objects, (nv, nv)."""
        matrix = np.zeros((self.model.nv, self.model.nv))
        for j, (owner, _, dofs) in enumerate(self.dofs):
            row, column = self.model.jnt_dofadr[j], self.first[owner] + dofs
            if self.model.jnt_type[j] == FREE:
                at = self.model.jnt_qposadr[j] + 3
                turn = Rotation.from_quat(qpos[at : at + 4], scalar_first=True).as_matrix()
                matrix[row : row + 3, column[3:]] = turn
                matrix[row + 3 : row + 6, column[:3]] = np.eye(3)
            else:
                matrix[row : row + len(dofs), column] = np.eye(len(dofs))
        return matrix

    def check(self, seeds: int = 2) -> None:
        """Everything that a model says of bodies, joints and shapes."""
        assert sum(tree.num_dofs for tree in self.trees.values()) == self.model.nv
        self.check_inertias()
        self.check_joints()
        self.check_geoms()
        for seed in range(seeds):
            self.check_kinematics(self.random_qpos(seed))
        np.testing.assert_allclose(self.scene.time_step, self.model.opt.timestep)
        disabled = self.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        np.testing.assert_allclose(self.scene.gravity, 0.0 if disabled else self.model.opt.gravity)

    def check_inertias(self) -> None:
        model = self.model
        for body in range(1, model.nbody):
            inertia, mass = self.link(body).inertia, model.body_mass[body]
            if inertia is None:
                assert mass == 0.0
                continue
            np.testing.assert_allclose(inertia.mass, mass, rtol=1e-6)
            turn = Rotation.from_quat(model.body_iquat[body], scalar_first=True).as_matrix()
            moment = turn @ np.diag(model.body_inertia[body]) @ turn.T
            scale = np.abs(moment).max()  # MuJoCo takes the inertia of shells of ellipsoids by differences
            np.testing.assert_allclose(inertia.moment, moment, rtol=0.0, atol=1e-5 * scale)
            np.testing.assert_allclose(inertia.com, model.body_ipos[body], atol=1e-6)

    def check_joints(self) -> None:
        model = self.model
        for j, (owner, name, _) in enumerate(self.dofs):
            joint, kind, dof = self.robots[owner].joint(name), model.jnt_type[j], model.jnt_dofadr[j]
            if kind not in (FREE, BALL):
                limits = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
                given = [joint.limits.lower[0], joint.limits.upper[0]]
                np.testing.assert_allclose(given, limits, rtol=1e-12, atol=1e-12)
            dynamics = joint.dynamics
            np.testing.assert_allclose(dynamics.damping, model.dof_damping[dof])
            np.testing.assert_allclose(dynamics.friction, model.dof_frictionloss[dof])
            np.testing.assert_allclose(dynamics.armature, model.dof_armature[dof])
            np.testing.assert_allclose(dynamics.stiffness, model.jnt_stiffness[j])
            if kind not in (FREE, BALL) and model.jnt_stiffness[j]:
                spring = model.qpos_spring[model.jnt_qposadr[j]]
                np.testing.assert_allclose(dynamics.rest_position, spring, atol=1e-12)

    def check_geoms(self) -> None:
        model = self.model
        for g in range(model.ngeom):
            name, body = model.geom(g).name, model.geom_bodyid[g]
            if not name or model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH:
                continue
            link = self.link(body)
            placed = {p.name: p for p in (*link.visuals, *link.collisions)}
            place = placed[name if name in placed else f"{name}_visual"]
            np.testing.assert_allclose(place.origin[:3, 3], model.geom_pos[g], atol=2e-7)
            turn = Rotation.from_quat(model.geom_quat[g], scalar_first=True).as_matrix()
            np.testing.assert_allclose(place.origin[:3, :3], turn, atol=2e-7)
            self.check_size(place.shape, model.geom_size[g])

    def check_size(self, shape: object, size: np.ndarray) -> None:
        match shape:
            case Sphere():
                np.testing.assert_allclose(shape.radius, size[0])
            case Capsule() | Cylinder():
                np.testing.assert_allclose([shape.radius, shape.length / 2.0], size[:2], rtol=1e-6)
            case Box():
                np.testing.assert_allclose(shape.size / 2.0, size, rtol=1e-6)
            case Ellipsoid():
                np.testing.assert_allclose(shape.radii, size, rtol=1e-6)

    def check_kinematics(self, qpos: np.ndarray) -> None:
        model, data = self.model, mujoco.MjData(self.model)
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        poses = {"world": np.eye(4)}
        for name, q in self.positions(qpos).items():
            tree = self.trees[name]
            poses |= dict(zip(tree.body_names, tree.forward_kinematics(q), strict=True))
        for body in range(1, model.nbody):
            pose = poses[self.body_name(body)]
            np.testing.assert_allclose(pose[:3, 3], data.xpos[body], atol=1e-6)
            np.testing.assert_allclose(pose[:3, :3], data.xmat[body].reshape(3, 3), atol=1e-6)
        self._check_sites(data, poses)
        self._check_mass_matrix(data, qpos)

    def _check_sites(self, data: mujoco.MjData, poses: dict[str, np.ndarray]) -> None:
        model = self.model
        for s in range(model.nsite):
            name = model.site(s).name
            if name:
                link = self.link(model.site_bodyid[s])
                frame = next(f for f in link.frames if f.name == name and f.kind == "site")
                pose = poses[link.name] @ frame.origin
                np.testing.assert_allclose(pose[:3, 3], data.site_xpos[s], atol=5e-6)
                np.testing.assert_allclose(pose[:3, :3], data.site_xmat[s].reshape(3, 3), atol=5e-6)

    def _check_mass_matrix(self, data: mujoco.MjData, qpos: np.ndarray) -> None:
        model = self.model
        if model.nv == 0:
            return
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        change = self.velocity_map(qpos)
        ours = np.zeros((model.nv, model.nv))
        for name, q in self.positions(qpos).items():
            tree, first = self.trees[name], self.first[name]
            span = slice(first, first + tree.num_dofs)
            if tree.num_dofs:
                ours[span, span] = tree.mass_matrix(q)
        theirs = change.T @ mass @ change
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-5 * np.abs(theirs).max())
