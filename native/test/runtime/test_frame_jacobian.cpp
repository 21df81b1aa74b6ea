#include "check.hpp"
#include "frame_jacobian.hpp"
#include "moving_frames.hpp"

using namespace kido;

namespace {

constexpr double kDifference = 1e-7;  // of a central difference [rad, m per unit position], and of rates of these
constexpr double kStep = 1e-5;
const Vec3<double> kPoint = {0.3, -0.2, 0.5};

Axes axes_of(const Frame* frame) { return frame ? Axes{Axes::Of::frame, frame} : Axes{Axes::Of::world, nullptr}; }

// A Jacobian of all dofs of the scene: a twist for each.
struct Matrix {
    int columns;
    std::vector<double> numbers;

    Vec3<double> angular(int k) const { return {numbers[k], numbers[columns + k], numbers[2 * columns + k]}; }
    Vec3<double> linear(int k) const {
        const double* x = numbers.data() + 3 * columns;
        return {x[k], x[columns + k], x[2 * columns + k]};
    }
};

Matrix evaluated(const Frame& frame, const JacobianRequest& request, State* whole) {
    const FrameJacobian jacobian(frame, request, whole);
    Matrix out{jacobian.columns(), std::vector<double>(jacobian.rows() * jacobian.columns())};
    jacobian.write(out.numbers.data());
    return out;
}

JacobianRequest request(Derivative derivative, const Frame* base, Axes axes) {
    return {derivative, Rows::all, base, axes, kPoint};
}

template <class F>
void for_pairs(F f) {
    for (const int seed : {4, 5}) {
        MovingFrames scene(seed);
        for (const auto& frame : scene.frames) {
            f(scene, *frame, static_cast<const Frame*>(nullptr));
            for (const auto& base : scene.frames) f(scene, *frame, static_cast<const Frame*>(base.get()));
        }
    }
}

// The largest distance between columns of `rates` and central differences of those of `values` in time.
template <class F>
double off_rates(MovingFrames& scene, const Matrix& rates, F values) {
    scene.at(kStep);
    const Matrix ahead = values();
    scene.at(-kStep);
    const Matrix behind = values();
    scene.at(0.0);
    double most = 0.0;
    for (int k = 0; k < rates.columns; ++k) {
        const auto off = [&](const Vec3<double>& x, const Vec3<double>& a, const Vec3<double>& b) {
            most = std::max(most, distance(x, (a - b) * (0.5 / kStep)));
        };
        off(rates.angular(k), ahead.angular(k), behind.angular(k));
        off(rates.linear(k), ahead.linear(k), behind.linear(k));
    }
    return most;
}

}  // namespace

TEST("a column of a Jacobian is the rate of the pose, in the observer's frame, by its dof") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        const Matrix J = evaluated(frame, request(Derivative::none, base, axes_of(base)), scene.state.get());
        CHECK(J.columns == scene.state->num_dofs());
        for (int k = 0; k < J.columns; ++k) {
            scene.nudge(k, kStep);
            const RelativePose ahead = pose_relative_to(frame, base, base);
            scene.nudge(k, -kStep);
            const RelativePose behind = pose_relative_to(frame, base, base);
            const Vec3<double> way = ahead.p + ahead.R * kPoint - (behind.p + behind.R * kPoint);
            CHECK_WITHIN(distance(J.linear(k), way * (0.5 / kStep)), kDifference);
            const Vec3<double> turn = so3_log(ahead.R * transpose(behind.R));
            CHECK_WITHIN(distance(J.angular(k), turn * (0.5 / kStep)), kDifference);
        }
        scene.at(0.0);
    });
}

TEST("the classic derivative is the rate of the Jacobian in the observer's axes") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        State* all = scene.state.get();
        const Matrix dJ = evaluated(frame, request(Derivative::classic, base, axes_of(base)), all);
        CHECK_WITHIN(off_rates(scene, dJ,
                               [&] { return evaluated(frame, request(Derivative::none, base, axes_of(base)), all); }),
                     kDifference);
    });
}

TEST("the spatial derivative is the rate of the Jacobian component by component in the frame's own axes") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        State* all = scene.state.get();
        const Matrix dJ = evaluated(frame, request(Derivative::spatial, base, {}), all);
        CHECK_WITHIN(
            off_rates(scene, dJ, [&] { return evaluated(frame, request(Derivative::none, base, {}), all); }),
            kDifference);
    });
}

TEST("without the whole there is one column for each dof that moves the frame") {
    for_pairs([](MovingFrames& scene, const Frame& frame, const Frame* base) {
        if (base) return;
        const Matrix all = evaluated(frame, request(Derivative::classic, base, {}), scene.state.get());
        const Matrix own = evaluated(frame, request(Derivative::classic, base, {}), nullptr);
        const std::vector<int> dofs = dependent_dofs(frame);
        CHECK(own.columns == static_cast<int>(dofs.size()));
        std::vector<bool> seen(all.columns, false);
        for (int k = 0; k < own.columns; ++k) {
            seen[dofs[k]] = true;
            CHECK(distance(own.angular(k), all.angular(dofs[k])) == 0.0);
            CHECK(distance(own.linear(k), all.linear(dofs[k])) == 0.0);
        }
        for (int k = 0; k < all.columns; ++k) {
            if (!seen[k]) CHECK(dot(all.angular(k), all.angular(k)) + dot(all.linear(k), all.linear(k)) == 0.0);
        }
    });
}

TEST("angular and linear rows are those of the whole") {
    MovingFrames scene(6);
    JacobianRequest wanted = request(Derivative::classic, scene.frames[1].get(), {});
    const Matrix all = evaluated(*scene.frames[4], wanted, scene.state.get());
    const auto half = all.numbers.begin() + 3 * all.columns;
    wanted.rows = Rows::angular;
    CHECK(evaluated(*scene.frames[4], wanted, scene.state.get()).numbers ==
          std::vector<double>(all.numbers.begin(), half));
    wanted.rows = Rows::linear;
    CHECK(evaluated(*scene.frames[4], wanted, scene.state.get()).numbers ==
          std::vector<double>(half, all.numbers.end()));
}
