#include "closed_form_chain.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bound_frame.hpp"
#include "bound_tree.hpp"
#include "kido/tree/joint.hpp"

namespace kido {

using closed_form::Placement;
using closed_form::Point;
using closed_form::Screw;
using closed_form::ScrewChain;

namespace {

constexpr double kSkewed = 1e-6;  // of a rotation matrix that is taken for one

// The way from joint to joint to the tool, by all joints or by the revolute ones.
double way_along(const ScrewChain& chain, bool all) {
    const Point* last = nullptr;
    double way = 0.0;
    for (int k = 0; k < chain.count; ++k) {
        if (!all && chain.joint[k].is_prismatic) continue;
        if (last) way += closed_form::length(chain.joint[k].point - *last);
        last = &chain.joint[k].point;
    }
    return last ? way + closed_form::length(chain.tool.p - *last) : 0.0;
}

// Points relative to the first revolute joint; the size is the way between such joints to the tool, or where that is
// none but for rounding, between all.
Point settle(ScrewChain& chain) {
    constexpr double rounding = 1e-9;
    const Screw *begin = chain.joint, *end = begin + chain.count;
    const Screw* first = std::find_if(begin, end, [](const Screw& x) { return !x.is_prismatic; });
    const Point origin = (first == end ? begin : first)->point;
    const double turning = way_along(chain, false), all = way_along(chain, true);
    chain.size = turning > rounding * all ? turning : all > 0.0 ? all : 1.0;
    for (int k = 0; k < chain.count; ++k) chain.joint[k].point = chain.joint[k].point - origin;
    chain.tool.p = chain.tool.p - origin;
    return origin;
}

// Pose of a body or link at zero, relative to the world.
Placement at_zero(const Model& m, int link, const Placement& inside) {
    Placement at = inside;
    for (; link >= 0; link = m.links[link].parent) at = Placement{mat3(m.links[link].R), vec3(m.links[link].p)} * at;
    return at;
}

}  // namespace

Placement pose(const char* name, const double* T) {
    const Point x{T[0], T[4], T[8]}, y{T[1], T[5], T[9]}, z{T[2], T[6], T[10]};
    const auto off = [](double value, double wanted) { return std::fabs(value - wanted); };
    const double error = std::max({off(dot(x, x), 1.0), off(dot(y, y), 1.0), off(dot(z, z), 1.0), off(dot(x, y), 0.0),
                                   off(dot(x, z), 0.0), off(dot(y, z), 0.0), off(dot(cross(x, y), z), 1.0)});
    if (!(error <= kSkewed)) {
        const std::string text = ": expected a rotation in the upper left 3 x 3 [-], got one that is off by ";
        throw nb::value_error((name + text + std::to_string(error)).c_str());
    }
    const Point a = closed_form::unit(x);
    const Point b = closed_form::unit(y - a * dot(a, y));
    return {{a, b, cross(a, b)}, {T[3], T[7], T[11]}};
}

Placement read_pose(const char* name, nb::handle value) {
    double T[16];
    read_numbers(name, value, 4, 4, "m", T);
    return pose(name, T);
}

BoundClosedForm closed_form_of_tree(const BoundTree& tree, int body, int base, nb::handle point, int locked) {
    const Model& m = tree.model();
    if (body < 0 || body >= m.num_bodies || base < -1 || base >= m.num_bodies) throw nb::index_error("body, base: expected those of the tree");
    const Body& tip = m.bodies[body];
    const int root = base < 0 ? -1 : m.bodies[base].link;
    Placement from = {identity3<double>(), zero3<double>()};
    if (base >= 0) from = inverse(at_zero(m, root, {mat3(m.bodies[base].R), vec3(m.bodies[base].p)}));
    std::vector<int> path;
    int link = tip.link;
    for (; link >= 0 && link != root; link = m.links[link].parent) path.insert(path.begin(), link);
    if (link != root) throw nb::value_error("base: expected a body on the way from the root to the body");
    std::vector<int> dofs;
    bool simple = true;
    for (int k : path) {
        const JointKind kind = m.links[k].kind;
        simple = simple && (kind == JointKind::revolute || kind == JointKind::prismatic);
        for (int i = 0; i < m.links[k].dof_count; ++i) dofs.push_back(m.links[k].dof + i);
    }
    ScrewChain chain;
    if (!simple) return {ClosedForm("a joint between base and body is neither revolute nor prismatic"), zero3<double>(), dofs};
    if (path.empty() || path.size() > closed_form::kMostJoints) {
        return {ClosedForm("expected 1 to 7 joints, got " + std::to_string(path.size())), zero3<double>(), dofs};
    }
    for (int k : path) {
        const Placement at = from * at_zero(m, k, {identity3<double>(), zero3<double>()});
        chain.joint[chain.count++] = {at.R.z, at.p, m.links[k].kind == JointKind::prismatic};
    }
    chain.tool = from * at_zero(m, tip.link, {mat3(tip.R), vec3(tip.p)}) * read_pose("point", point);
    const Point origin = settle(chain);
    return {ClosedForm(chain, locked), origin, dofs};
}

BoundClosedForm closed_form_of_axes(nb::handle axes, nb::handle points, nb::handle tool, int locked,
                                    const std::vector<bool>& is_prismatic) {
    const Py_ssize_t count = nb::len(axes);
    if (count < 1 || count > closed_form::kMostJoints) {
        throw nb::value_error(("axes: expected 1 to 7 rows [-], got " + std::to_string(count)).c_str());
    }
    if (is_prismatic.size() != static_cast<std::size_t>(count)) {
        const std::string wanted = "is_prismatic: expected " + std::to_string(count) + " flags, got ";
        throw nb::value_error((wanted + std::to_string(is_prismatic.size())).c_str());
    }
    double h[3 * closed_form::kMostJoints], p[3 * closed_form::kMostJoints];
    read_numbers("axes", axes, static_cast<int>(count), 3, "-", h);
    read_numbers("points", points, static_cast<int>(count), 3, "m", p);
    if (locked < -1 || locked >= count) {
        throw nb::value_error(("locked_dof: expected a joint from 0 to " + std::to_string(count - 1) + " or -1, got " +
                               std::to_string(locked))
                                  .c_str());
    }
    ScrewChain chain;
    std::vector<int> dofs;
    for (int k = 0; k < count; ++k) {
        const double *d = h + 3 * k, largest = std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])});
        if (!(largest > 0.0)) {
            throw nb::value_error(("axes: expected directions, got zero at row " + std::to_string(k)).c_str());
        }
        // In two steps, so that directions of any length give one of length 1.
        const Point axis = closed_form::unit({d[0] / largest, d[1] / largest, d[2] / largest});
        chain.joint[chain.count++] = {axis, vec3(p + 3 * k), is_prismatic[k]};
        dofs.push_back(k);
    }
    chain.tool = read_pose("tool", tool);
    const Point origin = settle(chain);
    return {ClosedForm(chain, locked), origin, dofs};
}

}  // namespace kido
