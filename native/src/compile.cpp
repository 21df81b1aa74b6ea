#include "compile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kido/spatial/vector.hpp"

namespace kido {

namespace {

struct Placement {
    Mat3<double> R;
    Vec3<double> p;
};

constexpr Mat3<double> kIdentity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

Placement read_placement(const double* a) {
    return {{{a[0], a[4], a[8]}, {a[1], a[5], a[9]}, {a[2], a[6], a[10]}}, {a[3], a[7], a[11]}};
}

void store(const Vec3<double>& v, double* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

void store(const Placement& T, double* R, double* p) {
    store(T.R.x, R);
    store(T.R.y, R + 3);
    store(T.R.z, R + 6);
    store(T.p, p);
}

Placement operator*(const Placement& a, const Placement& b) { return {a.R * b.R, a.p + a.R * b.p}; }

Placement inverse(const Placement& T) { return {transpose(T.R), -transposed_times(T.R, T.p)}; }

// Axes whose z is `axis`; along x, y and z they are exact permutations.
Mat3<double> axes_about(const Vec3<double>& axis) {
    const double size[3] = {std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)};
    const int largest = static_cast<int>(std::max_element(size, size + 3) - size);
    const Vec3<double> helper = (&kIdentity.x)[(largest + 1) % 3];
    Vec3<double> x = helper - axis * dot(axis, helper);
    x = x * (1.0 / std::sqrt(dot(x, x)));
    return {x, cross(axis, x), axis};
}

struct Primitive {
    JointKind kind;
    Vec3<double> axis;
    double pitch;  // [m/rad]
};

Vec3<double> axis_of(const BodyRow& row, AxisChoice choice) {
    const Vec3<double> first = {row.axes[0], row.axes[1], row.axes[2]};
    const Vec3<double> second = {row.axes[3], row.axes[4], row.axes[5]};
    const auto letter = [&](int divisor) { return (&kIdentity.x)[row.euler_order / divisor % 3]; };
    switch (choice) {
        case AxisChoice::first: return first;
        case AxisChoice::second: return second;
        case AxisChoice::normal: return cross(first, second);
        case AxisChoice::x: return kIdentity.x;
        case AxisChoice::y: return kIdentity.y;
        case AxisChoice::euler_first: return letter(9);
        case AxisChoice::euler_second: return letter(3);
        case AxisChoice::euler_third: return letter(1);
        default: return kIdentity.z;
    }
}

// The primitive joints that make up a joint, parent to child.
std::vector<Primitive> primitives(const BodyRow& row) {
    if (row.sequence.bytes == PrimitiveSequence::user) {
        return std::vector<Primitive>(row.user_dofs, {JointKind::user, kIdentity.z, 0.0});
    }
    std::vector<Primitive> result;
    for (std::int64_t rest = row.sequence.bytes; rest > 0; rest >>= 8) {
        const auto kind = static_cast<JointKind>((rest & 15) - 1);
        const double pitch = kind == JointKind::screw ? row.pitch / (2.0 * std::numbers::pi) : 0.0;
        result.push_back({kind, axis_of(row, static_cast<AxisChoice>(rest >> 4 & 15)), pitch});
    }
    return result;
}

// Adds a body's mass to its link, about the link origin.
void carry(Link& link, Weight& weight, const Placement& T_link_body, const BodyRow& row) {
    const double* I = row.moment;
    const Vec3<double> c = T_link_body.p + T_link_body.R * Vec3<double>{row.com[0], row.com[1], row.com[2]};
    const Vec3<double> h = c * row.mass;
    const Sym3<double> turned = rotate(T_link_body.R, Sym3<double>{I[0], I[1], I[2], I[3], I[4], I[5]});
    const Sym3<double> about_origin = {h.y * c.y + h.z * c.z, -h.x * c.y, -h.x * c.z,
                                       h.x * c.x + h.z * c.z, -h.y * c.z, h.x * c.x + h.y * c.y};
    const Sym3<double> sum = turned + about_origin;
    link.mass += row.mass;
    link.h[0] += h.x;
    link.h[1] += h.y;
    link.h[2] += h.z;
    const double added[6] = {sum.xx, sum.xy, sum.xz, sum.yy, sum.yz, sum.zz};
    for (int i = 0; i < 6; ++i) link.I[i] += added[i];
    if (!row.weighs) return;
    weight.mass += row.mass;
    weight.h[0] += h.x;
    weight.h[1] += h.y;
    weight.h[2] += h.z;
}

Offset offset_kind(const Placement& T) {
    if (T.p.x != 0.0 || T.p.y != 0.0 || T.p.z != 0.0) return Offset::full;
    const double *R = &T.R.x.x, *one = &kIdentity.x.x;
    return std::equal(R, R + 9, one) ? Offset::none : Offset::rotation;
}

}  // namespace

bool PrimitiveSequence::valid() const {
    for (std::int64_t rest = bytes; rest != 0; rest >>= 8) {
        if (rest < 0 || (rest & 15) < 1 || (rest & 15) > static_cast<int>(JointKind::free) + 1) return false;
        if ((rest >> 4 & 15) >= static_cast<int>(AxisChoice::count)) return false;
    }
    return true;
}

CompiledBodies compile_bodies(const std::vector<BodyRow>& rows) {
    CompiledBodies result;
    result.bodies.reserve(rows.size());
    result.joints.reserve(rows.size());
    std::size_t links = 0;
    for (const BodyRow& row : rows) links += primitives(row).size();
    result.links.reserve(links);
    result.weights.reserve(links);
    std::vector<Placement> in_link;  // of each body
    in_link.reserve(rows.size());
    for (const BodyRow& row : rows) {
        int link = row.parent < 0 ? -1 : result.bodies[row.parent].link;
        Placement frame = row.parent < 0 ? Placement{kIdentity, {0, 0, 0}} : in_link[row.parent];
        frame = frame * read_placement(row.T_parent_joint);
        const int first = static_cast<int>(result.links.size());
        const std::vector<Primitive> parts = primitives(row);
        for (const Primitive& primitive : parts) {
            const Mat3<double> Q = axes_about(primitive.axis);
            Link added{};
            added.followers = static_cast<int>(parts.size()) - 1 - (static_cast<int>(result.links.size()) - first);
            added.parent = link;
            added.kind = primitive.kind;
            added.pitch = primitive.pitch;
            store({frame.R * Q, frame.p}, added.R, added.p);
            link = static_cast<int>(result.links.size());
            result.links.push_back(added);
            result.weights.push_back({});
            frame = {transpose(Q), {0, 0, 0}};
        }
        frame = frame * inverse(read_placement(row.T_child_joint));
        Body body{};
        body.link = link;
        body.offset = offset_kind(frame);
        store(frame, body.R, body.p);
        result.bodies.push_back(body);
        in_link.push_back(frame);
        result.joints.push_back({first, static_cast<int>(result.links.size()), row.parent});
        if (link >= 0) carry(result.links[link], result.weights[link], frame, row);
    }
    return result;
}

}  // namespace kido
