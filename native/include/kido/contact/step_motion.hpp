#pragma once

#include <cmath>
#include <span>

#include "kido/contact/step_overlaps.hpp"
#include "kido/contact/tree_energy.hpp"
#include "kido/contact/world_state.hpp"

// The end of a step: velocities and positions of all that moves, unless they would not be finite.

KIDO_BEGIN

template <class T>
class StepMotion {
public:
    explicit StepMotion(WorldState<T>& world) : world_(world) {}

    // Velocities and positions at the end of the step; false, and nothing moved, where they would not be finite.
    bool move(const WorldSettings& settings) {
        if (!finite(settings.step) || !move_smoothly(settings)) return false;
        const double step = settings.step;
        world_.disturbed = false;
        world_.start_places = world_.places;
        std::swap(world_.start_velocities, world_.before);
        world_.step = step;
        start_turned(step);
        const FreeRows rows = {world_.places.data(), world_.constants.data(), world_.velocities.data(),
                               world_.displacements.data(), world_.poses.data(), world_.turned.data(), step};
        if (world_.free_rows.empty()) world_.list_free_rows();
        const std::size_t bundles = world_.free_rows.size() / lanes_of<T>;
        const SharedLoop loop(world_.crew);
        loop(bundles, kSharedBundles, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) advance<T>(rows, &world_.free_rows[i * lanes_of<T>], lanes_of<T>);
        });
        advance_last(rows, std::span(world_.free_rows).subspan(bundles * lanes_of<T>));
        world_.stepping = false;
        move_trees(settings);
        StepOverlaps<T>(world_).pass();
        world_.choose_fineness();
        world_.record.complete = world_.recording;
        return true;
    }
    // The row whose numbers are not finite, of several that which was fastest before; 0: none is to be seen.
    int find_diverged() const {
        int found = 0;
        double fastest = -1.0;
        for (int i = 1; i < static_cast<int>(world_.bodies.size()); ++i) {
            const SolverBody& body = world_.bodies[i];
            const bool good = body.kind == BodyKind::link
                                  ? is_finite(world_.trees[body.tree].articulation, world_.responses[body.tree],
                                              world_.trees[body.tree].articulation.carrier(body.link))
                                  : is_finite({world_.velocities[i], world_.gains[i], world_.displacements[i]}, kLargest);
            double speed = 0.0;
            for (int c = 0; c < 6; ++c) speed = std::max(speed, std::fabs(world_.before[i].v[c]));
            if (good || !(speed > fastest)) continue;
            found = i;
            fastest = speed;
        }
        return found;
    }

private:
    // Bodies that were hit start from where they are taken to have been; the rest of their displacement is that of their velocity.
    void start_turned(double step) {
        for (const ImpactTurn& turn : world_.impact_turns) {
            const int row = turn.row;
            double *place = world_.places[row].v + 3, *v = world_.velocities[row].v + 3, *moved = world_.displacements[row].v + 3;
            const FreeRow body = world_.free_row(row, MotionRow{});
            const Vec3<double> momentum = body.momentum(world_.places[row], vec3(v)), before = vec3(v);
            const Quaternion<double> q = quaternion(turn.turn) * Quaternion<double>{place[0], place[1], place[2], place[3]};
            const double turned[4] = {q.x, q.y, q.z, q.w};
            std::copy_n(turned, 4, place);
            world_.refresh(row);
            write3(v, load_pose<double>(world_.poses.data(), &row).inverse_inertia * momentum);
            write3(moved, vec3(moved) - turn.leap + (vec3(v) - before) * step);
            world_.turned[row] += geometry::length(turn.leap) * world_.bodies[row].radius;
        }
        world_.impact_turns.clear();
    }

    // Bodies that do not fill a bundle: side by side, too, where they are several.
    void advance_last(const FreeRows& rows, std::span<const int> bodies) {
        if (bodies.size() == 1) return advance<double>(rows, bodies.data(), 1);
        if (bodies.empty()) return;
        int index[lanes_of<T>];
        for (std::size_t i = 0; i < lanes_of<T>; ++i) index[i] = bodies[std::min(i, bodies.size() - 1)];
        advance<T>(rows, index, static_cast<int>(bodies.size()));
    }

    static constexpr double kLargest = 1e30;     // displacement of a step that its rotation can be computed of [m or rad]

    void move_trees(const WorldSettings& settings) {
        const double step = settings.step;
        world_.for_each_bundle(
            [&](int k) {
                WorldTree& tree = world_.trees[k];
                const Articulation& a = tree.articulation;
                return !tree.moved && a.is_plain() && !a.any_turned_far() && !a.any_fast(tree.changes, step) && !TreeEnergy::is_swift(a, tree.changes, step);
            },
            [&](auto& pass, const auto& bundle) { move_bundle(settings, pass, bundle); },
            [&](std::size_t k) {
                WorldTree& tree = world_.trees[k];
                if (tree.moved) {
                    tree.articulation.place();
                } else {
                    const TreeEnergy energy(tree.articulation, tree.changes, step);
                    const Vec3<double> back = fall(k, settings);
                    const double weight = StepReach<double>::weight_of(step, world_.substeps, tree.follows_substeps(world_.responses[k]));
                    tree.momentum.begin(tree.articulation, tree.changes, tree.sums, {step, world_.substeps, weight, back});
                    tree.advance(world_.responses[k], step, world_.substeps, back);
                    tree.articulation.place();
                    energy.bound(tree.articulation, tree.constrained);
                    tree.momentum.restore(tree.articulation);
                }
                show(world_.trees[k].articulation, step);
            });
    }
    template <class Bundle>
    void move_bundle(const WorldSettings& settings, ArticulationBundle<T>& pass, const Bundle& bundle) {
        const double step = settings.step;
        typename ArticulationBundle<T>::StepEnd end;
        for (int i = 0; i < lanes_of<T>; ++i) {
            WorldTree& tree = world_.trees[bundle.trees[i]];
            const ArticulationResponse& response = world_.responses[bundle.trees[i]];
            const Vec3<double> back = fall(bundle.trees[i], settings);
            if (i < bundle.members.count) tree.keep();
            end.changes[i] = tree.changes.data();
            end.sums[i] = tree.sums.data();
            set_lane(end.weight, i, StepReach<double>::weight_of(step, world_.substeps, tree.follows_substeps(response)));
            set_lane(end.fall.x, i, back.x);
            set_lane(end.fall.y, i, back.y);
            set_lane(end.fall.z, i, back.z);
        }
        pass.advance(bundle.members, end, step, world_.substeps);
        pass.write_rows(bundle.members, step, world_.poses.data(), world_.velocities.data(),
                        [&](int row, double angle) { world_.turned[row] += angle * world_.bodies[row].radius; });
    }
    // Trees that nothing touches, by the integrator that was chosen.
    bool move_smoothly(const WorldSettings& settings) {
        if (settings.integrator == Integrator::semi_implicit_euler) return true;
        bool good = true;
        for (std::size_t k = 0; k < world_.trees.size(); ++k) {
            if (!world_.moves_smoothly(static_cast<int>(k))) continue;
            if (settings.integrator == Integrator::given) {
                world_.trees[k].take_motion(world_.trees[k].given_positions, world_.trees[k].given_velocities);
            } else {
                good &= world_.trees[k].move_smoothly(world_.smooth, settings);
            }
        }
        for (const int k : world_.awake_trees) {
            if (!good && world_.trees[k].moved) world_.trees[k].go_back();
        }
        return good;
    }
    bool finite(double step) const {
        // Each number of a row has a sum of its own: additions do not wait for each other.
        double sums[8] = {}, sum = 0.0;
        for (const MotionRow& row : world_.velocities) {
            for (int c = 0; c < 8; ++c) sums[c] += std::fabs(row.v[c]) * step < kLargest ? 0.0 : 1.0;
        }
        for (const RowRange& range : world_.body_ranges) {
            for (std::size_t i = range.begin; i < range.end; ++i) {
                for (int c = 0; c < 8; ++c) sums[c] += std::fabs(world_.displacements[i].v[c]) < kLargest ? 0.0 : 1.0;
            }
        }
        for (const double x : sums) sum += x;
        for (const ArticulationResponse& response : world_.responses) sum += response.sum_of_zeros();
        for (const WorldTree& tree : world_.trees) {
            for (const double x : tree.articulation.accelerations) sum += x * 0.0;
            for (const SoftPart& soft : tree.articulation.softs) sum += soft.sum_of_zeros();
        }
        return sum == 0.0;
    }
    // By how much a tree that nothing touches is displaced too far by velocities at the end of sub-steps, or of the step.
    Vec3<double> fall(std::size_t tree, const WorldSettings& settings) {
        const Articulation& a = world_.trees[tree].articulation;
        for (const SoftPart& soft : a.softs) {
            if (soft.is_pinned()) return zero3<double>();
        }
        if (a.model().weights || is_loaded(tree)) return zero3<double>();
        const double h = world_.responses[tree].size() > 0 ? world_.substep_length(settings) : settings.step;
        return vec3(settings.gravity) * (-0.5 * settings.step * h);
    }
    // Whether contacts, constraints or limits bear on a tree.
    bool is_loaded(std::size_t tree) {
        const Articulation& a = world_.trees[tree].articulation;
        int touches = 0;
        for (int row = a.first_row(); row < a.first_row() + a.num_rows(); ++row) touches += world_.bodies[row].touches;
        if (touches == 0) return false;
        if (!world_.pairs.elastic()) return true;
        bool loaded = false;
        world_.for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            if (sides.first.tree != static_cast<int>(tree) && sides.second.tree != static_cast<int>(tree)) return;
            touches -= (sides.first.tree == static_cast<int>(tree)) + (sides.second.tree == static_cast<int>(tree));
            for (const double x : store.block_of(slot).normal_impulse) loaded |= x > 0.0;
        });
        return loaded || touches > 0;
    }
    // Rows of the links, and what they have turned.
    void show(const Articulation& a, double step) {
        a.write_rows(world_.poses.data(), world_.velocities.data());
        const auto turn = [&](int row) {
            world_.turned[row] += step * geometry::length(vec3(world_.velocities[row].v + 3)) * world_.bodies[row].radius;
        };
        for (int i = 0; i < a.model().num_links; ++i) turn(a.first_row() + i);
        for (const SoftPart& soft : a.softs) {
            if (soft.surface_row >= 0) turn(soft.surface_row);
        }
    }

    WorldState<T>& world_;
};

KIDO_END
