#pragma once

#include <cmath>

#include "kido/contact/world_state.hpp"

// What a step sweeps more than the rest: where something hits something else, where bodies shiver, where motors slip. These are islands, so that
// what happens in one changes nothing in another; of what is solved in lanes, in a heap of hundreds of bodies, only what is near to a hit.

KIDO_BEGIN

template <class T>
class StepScopes {
public:
    explicit StepScopes(WorldState<T>& world) : world_(world), islands_(world.swept_islands) {}

    // Islands in which something hits something else, or comes fast to a limit, and those in which something only comes to touch: it has no
    // impulses to begin with. Lanes make no difference between them: `hits` are the bodies of both, and those near to them.
    void find_impacts(const WorldSettings& settings) {
        find_held();
        fast_trees_.clear();
        for (const int i : world_.awake_trees) {
            if (world_.trees[i].limits.any_impact(world_.responses[i], settings.step, kFast)) fast_trees_.push_back(i);
        }
        for (SweepScope<T>* scope : {&islands_.hits, &islands_.impacts, &islands_.arrivals}) scope->clear();
        if (world_.pairs.hit_rows().empty() && fast_trees_.empty()) return;
        find();
        for (SweepScope<T>* scope : {&islands_.hits, &islands_.impacts, &islands_.arrivals}) begin(*scope);
        for (const int row : world_.pairs.fast_rows()) {
            if (world_.bodies[row].moves()) islands_.impacts.add(islands_.of(row));
        }
        for (const int i : fast_trees_) {
            if (!is_held(i)) islands_.impacts.add(island_of_tree(i));
        }
        near_.assign(world_.bodies.size(), 0);
        for (const int row : world_.pairs.hit_rows()) {
            if (!world_.bodies[row].moves()) continue;
            near_[island_node(world_.bodies, row)] = 1;
            if (!islands_.impacts.contains(islands_.of(row))) islands_.arrivals.add(islands_.of(row));
        }
        for (const int i : fast_trees_) {
            const int island = island_of_tree(i);
            near_[world_.trees[i].articulation.first_row()] = 1;
            if (!islands_.impacts.contains(island)) islands_.arrivals.add(island);
        }
        for (int k = 0; k < kNear; ++k) islands_.spread(near_);
        islands_.hits.add(near_);
        end(islands_.hits, [&](int row) { return island_node(world_.bodies, row); });
    }
    // Whether constraints hold a tree: where these pull beyond a limit, neither has the last word.
    bool is_held(std::size_t tree) const { return held_[tree] != 0; }
    // Islands of which all free bodies in contact are slow, but some do not rest. The linear iteration of walls of bricks grows slowly, as
    // friction lags behind soft normals; one more relaxing sweep makes it shrink.
    void find_shivering() {
        islands_.shivering.clear();
        if (!any_restless()) return;
        find();
        begin(islands_.shivering);
        fast_.assign(world_.bodies.size(), 0);
        for_each_touched([&](int row, double square) { fast_[islands_.of(row)] |= is_fast(square); });
        for_each_touched([&](int row, double square) {
            if (is_restless(square) && !fast_[islands_.of(row)]) islands_.shivering.add(islands_.of(row));
        });
        end(islands_.shivering);
    }
    // Islands in which what was visited after the motors has made one slip: nothing has come to terms there yet. False: none.
    bool find_slipping() {
        bool any = false;
        for (const int i : world_.awake_trees) {
            if (world_.direct.has_tree(i) || !world_.trees[i].motors.slips(world_.responses[i])) continue;
            if (!any) {
                begin(islands_.slipping);
                find();
            }
            any = true;
            islands_.slipping.add(island_of_tree(i));
        }
        if (any) end(islands_.slipping);
        return any;
    }

private:
    static constexpr double kShiver = 0.3, kRest = 1e-5;  // speeds of what shivers, and of what rests [m/s and rad/s]
    static constexpr int kNear = 2;       // contacts through which an impact is swept on in lanes
    static constexpr double kFast = 0.5;  // approach to a limit that asks for more sweeps [m/s or rad/s]

    void find_held() {
        held_.assign(world_.trees.size(), 0);
        const auto hold = [&](int row) {
            if (world_.bodies[row].kind == BodyKind::link) held_[world_.bodies[row].tree] = 1;
        };
        world_.for_each_linear([&](const LinearRows& c) { c.for_each_body(world_.trees, hold); });
        world_.for_each_constraint([&](const BodyConstraintRows& c) {
            hold(c.constraint().first);
            hold(c.constraint().second);
        });
    }
    static bool is_restless(double square) { return square > kRest * kRest; }
    static bool is_fast(double square) { return square > kShiver * kShiver; }

    // Calls f(row, square of its speed) for free bodies that something touches.
    template <class F>
    void for_each_touched(F f) const {
        for (const RowRange& range : world_.body_ranges) {
            for (std::size_t i = range.begin; i < range.end; ++i) {
                if (world_.bodies[i].kind != BodyKind::free || world_.bodies[i].touches == 0) continue;
                const double* v = world_.velocities[i].v;
                f(static_cast<int>(i), v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
            }
        }
    }
    // Whether a body is slow, but does not rest.
    bool any_restless() const {
        bool any = false;
        for_each_touched([&](int, double square) { any |= is_restless(square) && !is_fast(square); });
        return any;
    }
    void begin(SweepScope<T>& scope) { scope.begin(world_.bodies.size()); }
    void find() {
        islands_.find(world_.pairs, world_.bodies, world_.constraints, world_.linear_rows, world_.trees);
    }
    void end(SweepScope<T>& scope) { end(scope, [&](int row) { return islands_.of(row); }); }
    // name_of(row): what the scope knows a row by.
    template <class NameOf>
    void end(SweepScope<T>& scope, const NameOf& name_of) {
        scope.end(name_of, world_.bodies);
        scope.list(world_.pairs.colors(), islands_.finding());
    }
    int island_of_tree(int tree) const { return islands_.of(world_.trees[tree].articulation.first_row()); }

    WorldState<T>& world_;
    SweptIslands<T>& islands_;
    std::vector<int> fast_trees_;
    std::vector<char> near_;  // nodes near to what hits
    std::vector<char> held_;  // trees that constraints hold
    std::vector<char> fast_;  // islands with a fast body, by their names
};

KIDO_END
