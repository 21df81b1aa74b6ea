#include "kernels.hpp"

#include "layout.hpp"

using namespace kido;

namespace {

// FNV-1a over the bit patterns.
struct Digest {
    std::uint64_t state = 0xcbf29ce484222325ULL;

    void add(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        for (int i = 0; i < 8; ++i) state = (state ^ ((bits >> (8 * i)) & 0xFF)) * 0x100000001b3ULL;
    }
    template <class Value>
    void add_all(const Value& value) {
        double out[18] = {};
        store(value, out);
        for (const double x : out) add(x);
    }
};

}  // namespace

TEST("every instruction set and compiler gives the same bits") {
    Digest digest;
    for (const double size : {3.0, 3e-2, 3e-5})
        for (const auto& row : check::random_inputs<9>(2000, size)) {
            const Motion<double> x = motion(row.data());
            const Transform<double> a = se3_exp(x);
            digest.add_all(a);
            digest.add_all(se3_log(a));
            digest.add_all(se3_left_jacobian(x));
            digest.add_all(se3_left_jacobian_inverse(x));
            digest.add_all(euler_angles(euler_rotation(vector3(row.data() + 6), {2, 1, 0}), {2, 1, 0}));
            digest.add_all(
                a * inertia(square(row[6]), x.linear, Sym3<double>{1.0, row[7], row[8], 2.0, row[6], 3.0}));
            const SinCos<double> y = sincos(row[7] * 1e6);
            digest.add(y.sin);
            digest.add(y.cos);
        }
    CHECK(digest.state == 0x1901e2e4f46bb57aULL);
}
