#include "shape_cases.hpp"

using namespace check;

namespace {

// FNV-1a over bytes.
struct Digest {
    std::uint64_t state = 0xcbf29ce484222325ULL;

    template <class Value>
    void add(const Value& value) {
        unsigned char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        for (const unsigned char byte : bytes) state = (state ^ byte) * 0x100000001b3ULL;
    }
    void add_contacts(const Answer& found) {
        add(found.count);
        add(found.memory.axis);
        if (found.count == 0) add(found.memory.gap);
        for (int k = 0; k < found.count * found.manifold.count; ++k) {
            const kido::ContactPoint& p = found.manifold.points[k];
            add(p.on_first);
            add(p.on_second);
            add(p.gap);
            add(p.feature);
        }
    }
    void add_distance(const Solid& a, const Solid& b) {
        add(distance_of(a, b));
    }
    void add_ray(const Solid& solid, const Vector& origin, const Vector& direction) {
        const RayAnswer found = cast(solid, origin, direction, 3.0);
        if (found.met == 1) add(found.hit);
    }
};

}  // namespace

TEST("every instruction set and compiler gives the same bits") {
    Digest digest;
    for_pairs(60, [&](const PairCase&, const Solid& a, const Solid& b) {
        const Answer found = collide(a, b, 0.02);
        digest.add_contacts(found);
        digest.add_contacts(collide(a, b, 0.02, found.memory));
        digest.add_distance(a, b);
        const Vector origin = a.pose.p + Vector{1.0, -0.5, 0.8};
        digest.add_ray(b, origin, normalized(b.pose.p - origin));
    });
    CHECK(digest.state == 0x44389be5f0ed7b35ULL);
}
