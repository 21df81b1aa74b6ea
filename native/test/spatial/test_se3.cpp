#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

constexpr double kReference[][27] = {
    // x, translation of exp(x), lower left blocks of the Jacobian and its inverse
#include "reference/se3.inc"
};
constexpr double kPi = 3.14159265358979323846;

const auto kExp = []<class T>(const T* in, T* out) { store(se3_exp(motion(in)), out); };
const auto kLog = []<class T>(const T* in, T* out) {
    store(se3_log(Transform<T>{matrix3(in), vector3(in + 9)}), out);
};
const auto kLeft = []<class T>(const T* in, T* out) { store(se3_left_jacobian(motion(in)), out); };
const auto kLeftInverse = []<class T>(const T* in, T* out) {
    store(se3_left_jacobian_inverse(motion(in)), out);
};

check::Inputs<6> reference_twists() {
    check::Inputs<6> rows;
    for (const auto& row : kReference) {
        rows.emplace_back();
        std::copy(row, row + 6, rows.back().begin());
    }
    return rows;
}

check::Inputs<12> transforms_of(const check::Inputs<6>& twists) {
    check::Inputs<12> rows;
    for (const auto& twist : twists) {
        rows.emplace_back();
        kExp(twist.data(), rows.back().data());
    }
    return rows;
}

double angle_of(const double* x) { return std::hypot(x[0], x[1], x[2]); }
double reach_of(const double* x) { return std::hypot(x[3], x[4], x[5]); }

double difference(const Transform<double>& a, const Transform<double>& b) {
    double x[12], y[12];
    store(a, x);
    store(b, y);
    return check::distance(x, y, 12);
}

}  // namespace

TEST("the translation of exp agrees with its series to 1e-15 of the linear part") {
    for (const auto& row : kReference) {
        double out[12];
        kExp(row, out);
        CHECK_WITHIN(check::distance(out + 9, row + 6, 3), 1e-15 * reach_of(row));
    }
}

TEST("log returns to the twist to 2e-15, up to pi") {
    for (const auto& twist : reference_twists()) {
        if (angle_of(twist.data()) > kPi) continue;
        double transform[12], out[6];
        kExp(twist.data(), transform);
        kLog(transform, out);
        CHECK_WITHIN(check::distance(out, twist.data(), 6), 2e-15 * check::norm(twist));
    }
}

TEST("the left Jacobian agrees with its series to 2e-15, through all branches and across pi") {
    for (const auto& row : kReference) {
        double out[18];
        kLeft(row, out);
        CHECK_WITHIN(check::distance(out + 9, row + 9, 9), 2e-15 * reach_of(row));
    }
}

TEST(
    "the inverse of the left Jacobian agrees with that of the series to 2e-15 across pi, to 1e-14 near 2 "
    "pi") {
    for (const auto& row : kReference) {
        double out[18];
        kLeftInverse(row, out);
        const double zero[9] = {}, size = check::distance(zero, row + 18, 9);
        CHECK_WITHIN(check::distance(out + 9, row + 18, 9), (angle_of(row) < 4.0 ? 2e-15 : 1e-14) * size);
    }
}

TEST("the right Jacobians are the left ones of the negated twist") {
    for (const auto& twist : reference_twists()) {
        double right[18], left[18];
        store(se3_right_jacobian(motion(twist.data())), right);
        store(se3_left_jacobian(-motion(twist.data())), left);
        CHECK(check::distance(right, left, 18) == 0.0);
        store(se3_right_jacobian_inverse(motion(twist.data())), right);
        store(se3_left_jacobian_inverse(-motion(twist.data())), left);
        CHECK(check::distance(right, left, 18) == 0.0);
    }
}

TEST("exp(x + dx) is exp(J_l dx) exp(x), and exp(x) exp(J_r dx)") {
    const double step = 1e-6;
    for (const auto& x : check::random_inputs<6>(50, 1.5)) {
        const auto d = check::random_inputs<6>(1, step, 9)[0];
        double moved[6];
        for (int i = 0; i < 6; ++i) moved[i] = x[i] + d[i];
        const Transform<double> there = se3_exp(motion(moved)), here = se3_exp(motion(x.data()));
        const Motion<double> change = motion(d.data());
        CHECK_WITHIN(difference(there, se3_exp(se3_left_jacobian(motion(x.data())) * change) * here), 1e-11);
        CHECK_WITHIN(difference(there, here * se3_exp(se3_right_jacobian(motion(x.data())) * change)), 1e-11);
    }
}

TEST("a transform times its inverse is the identity, and composition acts as one after the other") {
    const auto rows = transforms_of(check::random_inputs<6>(50, 2.0));
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const Transform<double> a{matrix3(rows[i].data()), vector3(rows[i].data() + 9)};
        const Transform<double> b{matrix3(rows[i + 1].data()), vector3(rows[i + 1].data() + 9)};
        CHECK_WITHIN(difference(a * inverse(a), {identity3<double>(), zero3<double>()}), 3e-15);
        const Vec3<double> point{0.3, -1.2, 0.7}, one = (a * b) * point, other = a * (b * point);
        CHECK_WITHIN(std::hypot(one.x - other.x, one.y - other.y, one.z - other.z), 3e-15);
    }
}

TEST("a transform turns a point, then shifts it") {
    const Transform<double> a{so3_exp(Vec3<double>{0.0, 0.0, kPi / 2}), {1.0, 2.0, 3.0}};
    const Vec3<double> there = a * Vec3<double>{1.0, 0.0, 0.0};
    CHECK_WITHIN(std::hypot(there.x - 1.0, there.y - 3.0, there.z - 3.0), 1e-15);
}

TEST("adjoints are the action on motions and forces, and leave power alone") {
    const auto rows = transforms_of(check::random_inputs<6>(50, 2.0));
    const auto vectors = check::random_inputs<12>(50, 1.0, 5);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Transform<double> a{matrix3(rows[i].data()), vector3(rows[i].data() + 9)};
        const Motion<double> v = motion(vectors[i].data());
        const Force<double> f = force(vectors[i].data() + 6);
        double one[6], other[6];
        store(a * v, one);
        store(adjoint(a) * v, other);
        CHECK_WITHIN(check::distance(one, other, 6), 5e-15);
        store(a * f, one);
        store(coadjoint(a) * f, other);
        CHECK_WITHIN(check::distance(one, other, 6), 5e-15);
        CHECK_WITHIN(std::fabs(dot(a * f, a * v) - dot(f, v)), 2e-14);
    }
}

TEST("the twist of a transformed motion moves the same points: Ad v = log(T exp(v) T^-1)") {
    const auto rows = transforms_of(check::random_inputs<6>(30, 1.0));
    const auto vectors = check::random_inputs<6>(30, 1.0, 5);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Transform<double> a{matrix3(rows[i].data()), vector3(rows[i].data() + 9)};
        const Motion<double> v = motion(vectors[i].data());
        double one[6], other[6];
        store(a * v, one);
        store(se3_log(a * se3_exp(v) * inverse(a)), other);
        CHECK_WITHIN(check::distance(one, other, 6), 1e-14);
    }
}

TEST("lanes of SE(3) give the bits of double on both sides of every branch") {
    const auto twists = reference_twists();
    check::lanes_agree<6, 12>(kExp, twists);
    check::lanes_agree<12, 6>(kLog, transforms_of(twists));
    check::lanes_agree<6, 18>(kLeft, twists);
    check::lanes_agree<6, 18>(kLeftInverse, twists);
}

TEST("dual numbers carry the derivatives of SE(3)") {
    for (const double size : {1e-3, 0.1, 1.5}) {
        const auto twists = check::random_inputs<6>(40, size);
        check::duals_agree<6, 12>(kExp, twists, 5e-9);
        check::duals_agree<6, 18>(kLeft, twists, 5e-9);
        check::duals_agree<12, 6>(kLog, transforms_of(twists), 5e-7);
    }
}
