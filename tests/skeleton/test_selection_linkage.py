"""Chains, branches and linkages: which bodies they choose, and what edits do to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kido
from kido import ExpansionPolicy, LinkageCriteria, LinkageTarget, LinkageTerminal
from kido.errors import EditError, RemovedError


@pytest.fixture
def tree() -> kido.Skeleton:
    """root with branches a1-a2-a3 and b1-b2, each body on a revolute joint; another tree c1-c2."""
    skeleton = kido.Skeleton("tree")
    for name, parent in (
        ("root", None),
        ("a1", "root"),
        ("a2", "a1"),
        ("a3", "a2"),
        ("b1", "root"),
        ("b2", "b1"),
    ):
        add(skeleton, name, parent)
    add(skeleton, "c1", None)
    add(skeleton, "c2", "c1")
    return skeleton


def add(
    skeleton: kido.Skeleton, name: str, parent: str | None, joint: kido.Joint | None = None
) -> kido.BodyNode:
    carrier = None if parent is None else skeleton.body(parent)
    return skeleton.add_body(name, carrier, joint or kido.RevoluteJoint(T_parent_joint=(0.1, 0.0, 0.2)))


def names(parts: Sequence[kido.BodyNode]) -> str:
    return " ".join(body.name for body in parts)


def chain(skeleton: kido.Skeleton, start: str, target: str, **options: bool) -> kido.Chain:
    return kido.Chain(skeleton.body(start), skeleton.body(target), **options)


# ---- chains


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [
        ("root", "a3", "a1 a2 a3"),
        ("a1", "a3", "a2 a3"),
        ("a3", "a1", "a3 a2"),
        ("a3", "b2", "a3 a2 a1"),
        ("b2", "a3", "b2 b1"),
        ("a3", "root", "a3 a2 a1"),
        ("a2", "a2", ""),
    ],
)
def test_chain_leaves_out_the_upstream_end_and_stops_at_a_branch(
    tree: kido.Skeleton, start: str, target: str, expected: str
) -> None:
    assert names(chain(tree, start, target).bodies) == expected


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [("root", "a3", "root a1 a2 a3"), ("a1", "a3", "a1 a2 a3"), ("a3", "a1", "a3 a2 a1"), ("a2", "a2", "a2")],
)
def test_chain_has_the_upstream_end_where_asked(
    tree: kido.Skeleton, start: str, target: str, expected: str
) -> None:
    made = chain(tree, start, target, include_upstream_parent_joint=True)
    assert names(made.bodies) == expected


def test_downward_chain_ends_with_the_first_body_that_carries_several(tree: kido.Skeleton) -> None:
    add(tree, "side", "a2")
    assert names(chain(tree, "root", "a3").bodies) == "a1 a2"


def test_upward_chain_ends_with_a_body_on_a_free_joint_and_downward_before_it(tree: kido.Skeleton) -> None:
    tree.body("a2").change_parent_joint_type(kido.FreeJoint)
    assert names(chain(tree, "a3", "a1", include_upstream_parent_joint=True).bodies) == "a3 a2"
    assert names(chain(tree, "a1", "a3").bodies) == ""
    assert names(chain(tree, "root", "a3").bodies) == "a1"


def test_chain_has_joints_and_dofs_in_the_order_of_its_bodies(tree: kido.Skeleton) -> None:
    tree.body("a2").change_parent_joint_type(kido.BallJoint)
    made = chain(tree, "a3", "a1")
    assert [joint.child_body.name for joint in made.joints] == ["a3", "a2"]
    assert [dof.index_in_joint for dof in made.dofs] == [0, 0, 1, 2]
    tree.positions = np.arange(10.0)
    assert made.positions.tolist() == [5.0, 2.0, 3.0, 4.0]


def test_chain_refuses_ends_of_different_trees_or_skeletons(tree: kido.Skeleton) -> None:
    with pytest.raises(EditError, match="'c2' stands in another tree than 'a1'"):
        chain(tree, "a1", "c2")
    with pytest.raises(EditError, match="another tree"):
        kido.Chain(tree.body("a1"), tree.clone().body("a3"))
    with pytest.raises(TypeError, match="target: expected a BodyNode, got str"):
        kido.Chain(tree.body("a1"), "a3")  # type: ignore[arg-type]


def test_chain_knows_that_it_no_longer_is_one(tree: kido.Skeleton) -> None:
    made = chain(tree, "root", "a3")
    assert made.is_still_chain
    add(tree, "tip", "a3")
    assert made.is_still_chain
    side = add(tree, "side", "a2")
    assert not made.is_still_chain
    assert made.is_assembled
    side.remove()
    assert made.is_still_chain
    tree.body("a2").change_parent_joint_type(kido.FreeJoint)
    assert not made.is_still_chain
    tree.body("a2").change_parent_joint_type(kido.RevoluteJoint)
    tree.body("a2").move_to(tree.body("b1"))
    assert not made.is_still_chain
    made.reassemble()
    assert made.is_still_chain
    tree.body("a3").remove()
    assert not made.is_still_chain


def test_chain_whose_target_left_the_tree_is_no_chain(tree: kido.Skeleton) -> None:
    made = chain(tree, "a3", "b2")
    assert made.is_still_chain
    tree.body("b2").move_to(tree.body("c2"))
    assert made.is_assembled
    assert not made.is_still_chain
    with pytest.raises(EditError, match="another tree"):
        made.satisfy_criteria()
    assert names(made.bodies) == "a3 a2 a1"


def test_chain_chosen_anew_finds_its_upstream_end_by_the_present_structure(tree: kido.Skeleton) -> None:
    made = chain(tree, "a1", "a3")
    tree.body("a3").move_to(tree.body("root"))
    tree.body("a1").move_to(tree.body("a3"))
    made.satisfy_criteria()
    assert (made.start.name, made.target.name) == ("a1", "a3")
    assert names(made.bodies) == "a1"


# ---- branches


def test_branch_is_a_body_with_all_that_it_carries(tree: kido.Skeleton) -> None:
    assert names(kido.Branch(tree.body("root")).bodies) == "root a1 a2 a3 b1 b2"
    assert names(kido.Branch(tree.body("a2")).bodies) == "a2 a3"


def test_branch_knows_that_bodies_came_or_went(tree: kido.Skeleton) -> None:
    branch = kido.Branch(tree.body("a1"))
    assert branch.is_still_branch
    tip = add(tree, "tip", "a2")
    assert not branch.is_still_branch
    tip.move_to(tree.body("b2"))
    assert branch.is_still_branch
    tree.body("a3").move_to(tree.body("b2"))
    assert not branch.is_still_branch
    branch.satisfy_criteria()
    assert names(branch.bodies) == "a1 a2"
    assert branch.is_still_branch
    tree.body("a1").remove()
    assert not branch.is_still_branch


def test_branch_that_moves_as_a_whole_stays_one(tree: kido.Skeleton) -> None:
    branch = kido.Branch(tree.body("a2"))
    other = kido.Skeleton("other")
    tree.body("a1").move_to(None, skeleton=other)
    assert branch.is_still_branch
    assert branch.skeletons == (other,)
    other.positions = [1.0, 2.0, 3.0]
    assert branch.positions.tolist() == [2.0, 3.0]


# ---- linkages


def linkage(
    skeleton: kido.Skeleton, start: str | None, policy: str, *targets: str, chain: bool = False
) -> str:
    body = None if start is None else skeleton.body(start)
    ways = [LinkageTarget(skeleton.body(target), chain=chain) for target in targets]
    first = None if body is None else LinkageTarget(body, ExpansionPolicy(policy))
    return names(kido.Linkage(LinkageCriteria(first, ways)).bodies)


def test_linkage_expands_at_its_start_as_the_policy_says(tree: kido.Skeleton) -> None:
    assert linkage(tree, "a2", "include") == "a2"
    assert linkage(tree, "a2", "exclude") == ""
    assert linkage(tree, "a2", "downstream") == "a2 a3"
    assert linkage(tree, "a2", "upstream") == "a2 a1 root b1 b2"
    assert linkage(tree, "a2", "exclude", "root") == "a1 root"


def test_upstream_expansion_takes_side_branches_of_the_topmost_ancestor_first(tree: kido.Skeleton) -> None:
    add(tree, "side", "a1")
    assert linkage(tree, "a3", "upstream") == "a3 a2 a1 root b1 b2 side"


def test_linkage_goes_to_each_target_by_way_of_the_common_ancestor(tree: kido.Skeleton) -> None:
    assert linkage(tree, "a2", "include", "b2", "a3") == "a2 a1 root b1 b2 a3"
    assert linkage(tree, "a2", "include", "b2", chain=True) == "a2 a1"


def test_linkage_without_start_begins_at_the_roots_of_its_targets(tree: kido.Skeleton) -> None:
    assert linkage(tree, None, "include", "a2", "c2") == "root a1 a2 c1 c2"


def test_linkage_between_two_trees_goes_from_root_to_root(tree: kido.Skeleton) -> None:
    assert linkage(tree, "a1", "include", "c2") == "a1 root c1 c2"


def test_linkage_to_the_world_ends_with_the_root(tree: kido.Skeleton) -> None:
    criteria = LinkageCriteria(tree.body("a3"), [LinkageTarget(None)])
    assert names(criteria.bodies()) == "a3 a2 a1 root"
    with pytest.raises(ValueError, match="start: expected a body where a target is the world"):
        LinkageCriteria(None, [LinkageTarget(None)])


def test_targets_expand_once_the_way_reaches_them(tree: kido.Skeleton) -> None:
    below = LinkageTarget(tree.body("a1"), ExpansionPolicy.DOWNSTREAM)
    assert names(LinkageCriteria(tree.body("b2"), [below]).bodies()) == "b2 b1 root a1 a2 a3"
    blocked = LinkageCriteria(tree.body("b2"), [below], [tree.body("root")])
    assert names(blocked.bodies()) == "b2 b1 root"
    without = LinkageTarget(tree.body("a1"), ExpansionPolicy.EXCLUDE)
    assert names(LinkageCriteria(tree.body("b2"), [without]).bodies()) == "b2 b1 root"


@pytest.mark.parametrize(("inclusive", "expected"), [(True, "root a1 a2 b1 b2"), (False, "root a1 b1 b2")])
def test_terminals_end_expansions(tree: kido.Skeleton, inclusive: bool, expected: str) -> None:
    start = LinkageTarget(tree.body("root"), ExpansionPolicy.DOWNSTREAM)
    criteria = LinkageCriteria(start, terminals=[LinkageTerminal(tree.body("a2"), inclusive)])
    assert names(criteria.bodies()) == expected


def test_start_that_is_a_terminal_does_not_expand(tree: kido.Skeleton) -> None:
    start = LinkageTarget(tree.body("a1"), ExpansionPolicy.DOWNSTREAM)
    assert names(LinkageCriteria(start, terminals=[tree.body("a1")]).bodies()) == "a1"


@pytest.mark.parametrize(("inclusive", "expected"), [(True, "a3 a2 a1"), (False, "a3 a2")])
def test_terminals_end_ways(tree: kido.Skeleton, inclusive: bool, expected: str) -> None:
    terminal = LinkageTerminal(tree.body("a1"), inclusive)
    assert names(LinkageCriteria(tree.body("a3"), [tree.body("b2")], [terminal]).bodies()) == expected
    upstream = LinkageTarget(tree.body("a3"), ExpansionPolicy.UPSTREAM)
    assert names(LinkageCriteria(upstream, terminals=[terminal]).bodies()) == expected


def test_criteria_refuse_what_is_no_body_or_policy(tree: kido.Skeleton) -> None:
    with pytest.raises(TypeError, match="target: expected a BodyNode, got str"):
        LinkageCriteria("root")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="policy: expected one of include, exclude, downstream, upstream"):
        LinkageTarget(tree.body("root"), "sideways")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="criteria: expected LinkageCriteria, got BodyNode"):
        kido.Linkage(tree.body("root"))  # type: ignore[arg-type]
    with pytest.raises(EditError, match="no way leads from 'a1' to 'a2' of another skeleton"):
        kido.Linkage(LinkageCriteria(tree.body("a1"), [tree.clone().body("a2")]))
    gone = tree.body("a3")
    gone.remove()
    with pytest.raises(RemovedError, match="'a3'"):
        LinkageCriteria(gone)


# ---- edits


def test_linkage_is_put_back_together(tree: kido.Skeleton) -> None:
    branch = kido.Branch(tree.body("a1"))
    tree.body("a3").move_to(None, skeleton=kido.Skeleton("other"))
    tree.body("a1").move_to(tree.body("b2"))
    assert not branch.is_assembled
    branch.reassemble()
    assert branch.is_assembled
    assert [names(body.ancestors()) for body in branch.bodies] == ["a1 root", "a2 a1 root", "a3 a2 a1 root"]
    assert names(tree.body("b1").subtree()) == "b1 b2"


@pytest.mark.parametrize("downward", [False, True])
def test_linkage_turned_upside_down_is_put_back_together(tree: kido.Skeleton, downward: bool) -> None:
    made = kido.Branch(tree.body("a1")) if downward else chain(tree, "a3", "root")
    tree.body("a3").move_to(tree.body("root"))
    tree.body("a2").move_to(tree.body("a3"))
    tree.body("a1").move_to(tree.body("a2"))
    made.reassemble()
    assert names(tree.body("root").subtree()) == "root b1 b2 a1 a2 a3"


def test_reassembling_what_cannot_be_changes_nothing(tree: kido.Skeleton) -> None:
    branch = kido.Branch(tree.body("a1"))
    tree.body("a3").move_to(tree.body("b2"))
    tree.body("root").move_to(tree.body("c2"))
    tree.body("a1").move_to(None)
    tree.body("root").move_to(tree.body("a1"))
    before = [body.parent_body for body in tree.bodies]
    with pytest.raises(EditError, match="'a1' cannot be moved back: it carries its former parent"):
        branch.reassemble()
    assert [body.parent_body for body in tree.bodies] == before
    tree.body("root").remove()
    with pytest.raises(RemovedError):
        branch.reassemble()


def test_linkage_follows_a_joint_that_was_exchanged(tree: kido.Skeleton) -> None:
    made = chain(tree, "root", "a3")
    assert made.num_dofs == 3
    joint = tree.body("a2").change_parent_joint_type(kido.BallJoint)
    assert made.joints[1] is joint
    made.positions = [1.0, 0.2, 0.3, 0.4, 5.0]
    assert joint.positions.tolist() == [0.2, 0.3, 0.4]
    assert tree.body("a3").parent_joint.positions.tolist() == [5.0]


def test_selection_with_a_removed_member_says_so(tree: kido.Skeleton) -> None:
    made = chain(tree, "root", "a3")
    gone = tree.body("a3")
    joint = gone.parent_joint
    assert made.removed_members == ()
    gone.remove()
    assert made.removed_members == (gone, joint, kido.DegreeOfFreedom(joint, 0))
    for ask in (lambda: made.positions, lambda: made.mass, lambda: made.mass_matrix, made.com, made.clone):
        with pytest.raises(RemovedError, match="'a3"):
            ask()
    with pytest.raises(RemovedError, match="'a3"):
        made.positions = np.zeros(3)
    assert not made.is_assembled
    with pytest.raises(RemovedError, match="'a3"):
        made.satisfy_criteria()


def test_positions_follow_edits_that_renumber_the_dofs(tree: kido.Skeleton) -> None:
    made = chain(tree, "root", "a3")
    made.positions = [1.0, 2.0, 3.0]
    tree.body("a1").change_parent_joint_type(kido.BallJoint).positions = [7.0, 8.0, 9.0]
    assert made.positions.tolist() == [7.0, 8.0, 9.0, 2.0, 3.0]
    tree.body("c1").move_to(tree.body("root"))
    tree.body("a3").move_to(tree.body("c2"))
    tree.body("a1").move_to(None)
    assert made.positions.tolist() == [7.0, 8.0, 9.0, 2.0, 3.0]


# ---- clones


def test_clone_selects_the_same_of_a_cloned_skeleton(tree: kido.Skeleton) -> None:
    made = chain(tree, "a3", "b2")
    tree.positions = np.arange(8.0)
    twin = made.clone("twin")
    assert isinstance(twin, kido.Chain) and twin.name == "twin" and made.name == "chain"
    assert names(twin.bodies) == "a3 a2 a1"
    (other,) = twin.skeletons
    assert other is not tree
    twin.positions = [10.0, 20.0, 30.0]
    assert tree.positions.tolist() == np.arange(8.0).tolist()
    assert other.positions.tolist() == [0.0, 30.0, 20.0, 10.0, 4.0, 5.0, 6.0, 7.0]
    other.body("a3").move_to(other.body("root"))
    assert made.is_still_chain and not twin.is_still_chain
    twin.satisfy_criteria()
    assert names(twin.bodies) == "a3"


def test_clone_onto_a_given_skeleton_finds_members_by_name(tree: kido.Skeleton) -> None:
    branch = kido.Branch(tree.body("a1"))
    copy = tree.clone("copy")
    twin = branch.clone(onto=copy)
    assert twin.skeletons == (copy,)
    assert twin.start is copy.body("a1")
    with pytest.raises(ValueError, match="onto: expected 1 skeletons, for 'tree', got 2"):
        branch.clone(onto=[copy, tree])
    copy.body("a3").remove()
    with pytest.raises(kido.errors.UnknownNameError, match="no body named 'a3' in 'copy'"):
        branch.clone(onto=copy)


def test_clone_of_a_linkage_keeps_its_criteria(tree: kido.Skeleton) -> None:
    criteria = LinkageCriteria(
        LinkageTarget(tree.body("root"), ExpansionPolicy.DOWNSTREAM),
        [LinkageTarget(tree.body("c2"), ExpansionPolicy.EXCLUDE, chain=True)],
        [LinkageTerminal(tree.body("a2"), inclusive=False)],
    )
    twin = kido.Linkage(criteria).clone()
    (other,) = twin.skeletons
    assert twin.criteria == LinkageCriteria(
        LinkageTarget(other.body("root"), ExpansionPolicy.DOWNSTREAM),
        [LinkageTarget(other.body("c2"), ExpansionPolicy.EXCLUDE, chain=True)],
        [LinkageTerminal(other.body("a2"), inclusive=False)],
    )
    twin.satisfy_criteria()
    assert names(twin.bodies) == names(criteria.bodies()) == "root a1 b1 b2 c1"


@given(st.lists(st.tuples(st.sampled_from(["move", "joint", "set"]), st.integers(0, 7), st.integers(-1, 7))))
def test_answers_are_those_of_the_members_after_any_edits(edits: list[tuple[str, int, int]]) -> None:
    skeleton = kido.Skeleton("tree")
    for i in range(8):
        add(skeleton, f"body{i}", None if i == 0 else f"body{i // 2}" if i > 1 else "body0")
    linkage = kido.Branch(skeleton.body("body1"))
    for number, (kind, which, where) in enumerate(edits):
        body = skeleton.body(f"body{which}")
        target = None if where < 0 else skeleton.body(f"body{where}")
        if kind == "move" and (target is None or not target.descends_from(body)):
            body.move_to(target)
        elif kind == "joint":
            body.change_parent_joint_type(kido.BallJoint if where % 2 else kido.RevoluteJoint)
        else:
            linkage.positions = np.arange(linkage.num_dofs) + 10.0 * number
        q = np.concatenate([body.parent_joint.positions for body in linkage.bodies])
        assert linkage.positions.tolist() == q.tolist()
        indices = [index for body in linkage.bodies for index in body.parent_joint.dof_indices]
        assert np.array_equal(linkage.mass_matrix, skeleton.mass_matrix[np.ix_(indices, indices)])


# ---- chains from the world, and one skeleton


def test_chain_from_the_world_begins_with_the_root(tree: kido.Skeleton) -> None:
    made = kido.Chain(None, tree.body("root"))
    assert made.start is None and names(made.bodies) == "root"
    tree.body("b1").remove()
    made = kido.Chain(None, tree.body("a3"))
    assert names(made.bodies) == "root a1 a2 a3"
    assert made.target is tree.body("a3")
    assert made.bodies == kido.Linkage(LinkageCriteria(None, [tree.body("a3")])).bodies
    assert made.is_still_chain


def test_chain_from_the_world_ends_where_the_structure_branches(tree: kido.Skeleton) -> None:
    """Beyond its first body, as where the root is given as the start."""
    made = kido.Chain(None, tree.body("a3"))
    whole = kido.Chain(tree.body("root"), tree.body("a3"), include_upstream_parent_joint=True)
    assert names(made.bodies) == names(whole.bodies) == "root a1 a2 a3"
    add(tree, "side", "a1")
    made.satisfy_criteria()
    assert names(made.bodies) == "root a1" and not made.has_body("a3")


def test_chain_from_the_world_follows_edits_and_clones(tree: kido.Skeleton) -> None:
    tree.body("b1").remove()
    made = kido.Chain(None, tree.body("a3"))
    twin = made.clone()
    assert twin.start is None and names(twin.bodies) == "root a1 a2 a3"
    assert twin.target.skeleton is twin.skeletons[0] is not tree
    tree.body("a2").move_to(None)
    assert not made.is_still_chain
    made.satisfy_criteria()
    assert names(made.bodies) == "a2 a3" and made.is_still_chain
    tree.body("a3").remove()
    assert not made.is_still_chain


def test_chain_needs_a_target(tree: kido.Skeleton) -> None:
    with pytest.raises(TypeError, match="target: expected a BodyNode, got NoneType"):
        kido.Chain(tree.body("a1"), None)  # type: ignore[arg-type]


def test_a_linkage_lies_in_one_skeleton_and_says_what_may_hold_parts_of_several(tree: kido.Skeleton) -> None:
    ends = [tree.body("a1"), tree.clone().body("a2")]
    for criteria in (LinkageCriteria(ends[0], ends[1:]), LinkageCriteria(None, ends)):
        with pytest.raises(EditError, match="of another skeleton: a linkage lies in one, a Group may hold"):
            kido.Linkage(criteria)
    assert kido.Group("both", ends).num_bodies == 2
