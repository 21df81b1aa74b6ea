#include "state.hpp"

#include <memory>
#include <vector>

#include "check.hpp"
#include "ragdoll.hpp"

using namespace kido;

namespace {

// Brings positions, velocities and accelerations of 1, 2 and 3 to a state, and counts how often.
struct Ones : MotionSource {
    State* state = nullptr;
    int times = 0, last_index = -1;

    void bring_state(int index) override {
        ++times;
        last_index = index;
        for (int kind = 0; kind < 3; ++kind) {
            const std::vector<double> numbers(state->num_dofs(), kind + 1.0);
            state->set(static_cast<Quantity>(kind), 0, state->num_dofs(), numbers.data());
        }
    }
};

}  // namespace

TEST("a state that is owed is brought once, before anybody sees or sets its motion") {
    const Ragdoll doll;
    const auto make = [&] {
        const std::size_t count = 5 * Ragdoll::kDofs;
        const std::shared_ptr<double> rows(new double[count](), [](double* p) { delete[] p; });
        return std::make_unique<State>(doll.storage, rows);
    };
    const double two = 2.0;
    const std::vector<void (*)(State&)> looks = {
        [](State& s) { CHECK(s.row(Quantity::position)[3] == 1.0); },
        [](State& s) { CHECK(s.row(Quantity::velocity)[3] == 2.0); },
        [](State& s) { CHECK(s.row(Quantity::acceleration)[3] == 3.0); },
        [](State& s) { CHECK(s.version(Quantity::position) == 1); },
        [](State& s) { s.pose(0); },
        [](State& s) { s.velocity(0); },
        [](State& s) { s.acceleration(0); },
        [](State& s) { s.set_followers({}); },
        [](State& s) { CHECK(!s.waits_for_users()); },
        [](State& s) { s.settle(); },
    };
    for (const auto look : looks) {
        const std::unique_ptr<State> state = make();
        Ones ones, others;
        ones.state = state.get();
        state->owe(ones, 7);
        CHECK(state->is_owed_by(ones) && !state->is_owed_by(others));
        state->set(Quantity::command, 2, 1, &two);
        CHECK(state->row(Quantity::command)[2] == 2.0 && state->version(Quantity::command) == 1);
        CHECK(ones.times == 0);
        look(*state);
        look(*state);
        CHECK(ones.times == 1 && ones.last_index == 7 && !state->is_owed_by(ones));
    }
    const std::unique_ptr<State> state = make();
    Ones ones, others;
    ones.state = others.state = state.get();
    state->owe(ones, 0);
    state->set(Quantity::position, 3, 1, &two);
    CHECK(ones.times == 1 && state->row(Quantity::position)[3] == 2.0 && state->row(Quantity::position)[4] == 1.0);
    state->owe(ones, 0);
    state->owe(ones, 1);
    CHECK(ones.times == 1);
    state->owe(others, 2);
    CHECK(ones.times == 2 && others.times == 0 && state->is_owed_by(others));
}

TEST("what is written to a follower changes nothing, and what its leader is given moves it") {
    const Ragdoll doll;
    const std::size_t count = 5 * Ragdoll::kDofs;
    State state(doll.storage, std::shared_ptr<double>(new double[count](), [](double* p) { delete[] p; }));
    state.set_followers({{8, 7, 2.0, 0.5}});
    CHECK(state.row(Quantity::position)[8] == 0.5);
    const unsigned long long before = state.version(Quantity::position);
    const double numbers[] = {0.0, 5.0}, moved[] = {1.0, 5.0};
    state.set(Quantity::position, 7, 2, numbers);
    CHECK(state.version(Quantity::position) == before && state.row(Quantity::position)[8] == 0.5);
    state.set(Quantity::position, 7, 2, moved);
    CHECK(state.version(Quantity::position) == before + 1);
    CHECK(state.row(Quantity::position)[7] == 1.0 && state.row(Quantity::position)[8] == 2.5);
    state.set(Quantity::velocity, 7, 2, moved);
    CHECK(state.row(Quantity::velocity)[8] == 2.0);
    state.set(Quantity::acceleration, 7, 2, moved);
    CHECK(state.row(Quantity::acceleration)[8] == 5.0);
    state.set_followers({});
    state.set(Quantity::position, 7, 2, moved);
    CHECK(state.row(Quantity::position)[8] == 5.0);
}
