#pragma once

#include <memory>

#include "numpy_api.hpp"
#include "state.hpp"
#include "state_dynamics.hpp"

namespace kido {

namespace nb = nanobind;

class BoundTree;

// Raises EditError: a skeleton was changed while it was asked.
[[noreturn]] void raise_changed();

// A State and the NumPy array that its numbers lie in.
class BoundState {
public:
    BoundState(const BoundTree& tree, nb::handle rows);

    State& state() const { return *state_; }
    const std::shared_ptr<State>& shared() const { return state_; }
    StateDynamics& dynamics() {
        if (!dynamics_) dynamics_ = std::make_unique<StateDynamics>(*state_);
        return *dynamics_;
    }

    nb::object get(Quantity quantity, int first, int count) const;
    // Has the user joints of the state's tree say how they move now.
    void ask_users(const BoundTree& tree);
    void set(Quantity quantity, int first, int count, const char* name, nb::handle values);

private:
    void check_part(int first, int count) const;

    std::shared_ptr<State> state_;
    std::unique_ptr<StateDynamics> dynamics_;  // made when it is first asked for
};

}  // namespace kido
