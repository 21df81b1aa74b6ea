#pragma once

#include "kido/ik/wish_step.hpp"

// One step of several tasks, in levels of priority or as one, within the limits of the joints.

KIDO_BEGIN

class HierarchyStepper : protected WishStep {
protected:
    using WishStep::WishStep;

    // One step of the first levels.
    void move(int levels) {
        fill_jacobian([&](const HierarchyTask& task) { return takes_part(task, levels); });
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        want(levels);
        if (has_failed()) return;
        weigh(levels);
        step_within_limits(levels);
    }

private:
    static constexpr int kRounds = 4;             // times that joints may be found beyond their limits in one step
    static constexpr double kFar = 10.0;          // length of a step beside the part up to a limit, from which on a dof stops there

    // Towards what cannot be reached, steps that go a little beyond limits become shorter: if all those dofs stopped there, the others
    // would have to make up for them by motions without bounds.
    void step_within_limits(int levels) {
        num_held_ = 0;
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = w_.barred[j] = 0.0;
        for (int round = 0; round < kRounds; ++round) {
            if (stacks_) {
                stacked_step(levels, round == 0);
            } else {
                hierarchical_step(levels);
            }
            const bool stops = stop_at_limits(levels, approaches_ ? kFar : 1.0), bars = has_own_strengths_ && bar_at_limits();
            if (!stops && !bars) break;
        }
        double excess = 1.0;
        if (approaches_) first_beyond(excess);
        if (has_own_strengths_) excess = max(excess, excess_beyond_limits());
        advance(1.0 / max(excess, excess_of_step(levels)));
    }
};

KIDO_END
