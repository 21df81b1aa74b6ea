#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

double power(const Force<double>& f, const Motion<double>& v) { return dot(f, v); }

Motion<double> sum(const Motion<double>& a, const Motion<double>& b) {
    return {a.angular + b.angular, a.linear + b.linear};
}

double size(const Motion<double>& v) {
    return std::hypot(std::hypot(v.angular.x, v.angular.y, v.angular.z),
                      std::hypot(v.linear.x, v.linear.y, v.linear.z));
}

const auto kCrosses = []<class T>(const T* in, T* out) {
    store(motion_cross(motion(in), motion(in + 6)), out);
    store(force_cross(motion(in), force(in + 6)), out + 6);
};

}  // namespace

TEST("v x w is the rate of w in a frame that moves with v") {
    const double step = 1e-6;
    for (const auto& row : check::random_inputs<12>(50, 1.0)) {
        const Motion<double> v = motion(row.data()), w = motion(row.data() + 6);
        const Motion<double> ahead = se3_exp(Motion<double>{v.angular * step, v.linear * step}) * w;
        const Motion<double> behind = se3_exp(Motion<double>{v.angular * -step, v.linear * -step}) * w;
        double rate[6], slope[6], a[6], b[6];
        store(motion_cross(v, w), rate);
        store(ahead, a);
        store(behind, b);
        for (int i = 0; i < 6; ++i) slope[i] = (a[i] - b[i]) / (2.0 * step);
        CHECK_WITHIN(check::distance(rate, slope, 6), 1e-9);
    }
}

TEST("v x* f is the rate of f in a frame that moves with v") {
    const double step = 1e-6;
    for (const auto& row : check::random_inputs<12>(50, 1.0)) {
        const Motion<double> v = motion(row.data());
        const Force<double> f = force(row.data() + 6);
        double rate[6], slope[6], a[6], b[6];
        store(force_cross(v, f), rate);
        store(se3_exp(Motion<double>{v.angular * step, v.linear * step}) * f, a);
        store(se3_exp(Motion<double>{v.angular * -step, v.linear * -step}) * f, b);
        for (int i = 0; i < 6; ++i) slope[i] = (a[i] - b[i]) / (2.0 * step);
        CHECK_WITHIN(check::distance(rate, slope, 6), 1e-9);
    }
}

TEST("the crosses leave power alone, and fulfil the Jacobi identity") {
    for (const auto& row : check::random_inputs<18>(50, 1.0)) {
        const Motion<double> u = motion(row.data()), v = motion(row.data() + 6), w = motion(row.data() + 12);
        const Force<double> f = force(row.data() + 12);
        CHECK_WITHIN(std::fabs(power(force_cross(u, f), v) + power(f, motion_cross(u, v))), 1e-14);
        const Motion<double> cycle =
            sum(motion_cross(u, motion_cross(v, w)),
                sum(motion_cross(v, motion_cross(w, u)), motion_cross(w, motion_cross(u, v))));
        CHECK_WITHIN(size(cycle), 1e-14);
    }
}

TEST("the cross matrices are the crosses") {
    for (const auto& row : check::random_inputs<12>(50, 1.0)) {
        const Motion<double> v = motion(row.data());
        double one[12], other[12];
        kCrosses(row.data(), one);
        store(motion_cross_matrix(v) * motion(row.data() + 6), other);
        store(force_cross_matrix(v) * force(row.data() + 6), other + 6);
        CHECK_WITHIN(check::distance(one, other, 12), 1e-15);
    }
}

TEST("unskew undoes skew and ignores the symmetric part") {
    const Vec3<double> v{0.3, -0.7, 1.1};
    const Mat3<double> symmetric{{1.0, 2.0, 3.0}, {2.0, 4.0, 5.0}, {3.0, 5.0, 6.0}};
    const Vec3<double> back = unskew(skew(v)), same = unskew(skew(v) + symmetric);
    CHECK(back.x == v.x && back.y == v.y && back.z == v.z);
    CHECK_WITHIN(std::hypot(same.x - v.x, same.y - v.y, same.z - v.z), 1e-15);
}

TEST("lanes of crosses give the bits of double") {
    check::lanes_agree<12, 12>(kCrosses, check::random_inputs<12>(40, 2.0));
}

TEST("dual numbers carry the derivatives of crosses") {
    check::duals_agree<12, 12>(kCrosses, check::random_inputs<12>(40, 1.0), 1e-9);
}
