#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/response_coordinate.hpp"
#include "kido/contact/soft_part.hpp"
#include "kido/spatial/vector.hpp"
#include "kido/tree/model.hpp"

// Which coordinates of a skeleton constraints touch in a time step: the motion of a link (six), of a point along three axes, or of a dof.

KIDO_BEGIN

class ResponseCoordinates {
public:
    explicit ResponseCoordinates(const Model& model)
        : of_link_(model.num_links, -1), of_dof_(model.num_dofs, -1), claims_(model.num_links, 0), framed_claims_(model.num_links, 0),
          next_(model.num_links, 0), marked_(model.num_links, 0), claims_whole_(model.num_links, 0) {}

    void begin() {
        bends_ = needs_matrix_ = false;
        points_.clear();
        all_.clear();
        shares_.clear();
        std::fill(of_link_.begin(), of_link_.end(), -1);
        std::fill(of_dof_.begin(), of_dof_.end(), -1);
        std::fill(claims_.begin(), claims_.end(), 0);
        std::fill(framed_claims_.begin(), framed_claims_.end(), 0);
        std::fill(marked_.begin(), marked_.end(), 0);
        std::fill(claims_whole_.begin(), claims_whole_.end(), 0);
    }
    int size() const { return static_cast<int>(all_.size()); }
    const std::vector<Coordinate>& all() const { return all_; }
    const Coordinate& operator[](int i) const { return all_[i]; }
    const std::vector<DofShare>& shares() const { return shares_; }
    // Whether constraints touch a link, or one that it carries.
    bool is_marked(int link) const { return marked_[link]; }

    // Whoever asks for rows of the matrix, or takes loops out of it, says so before it is computed.
    void need_matrix() { needs_matrix_ = true; }
    bool needs_matrix() const { return needs_matrix_; }
    // Whether constraints hold links, whose `bend` is computed.
    bool bends() const { return bends_; }

    // Coordinates of contacts are claimed first, so that those of neighbours stand side by side: impulses at them go the same ways.
    void claim_link(int link) {
        if (has_whole(link)) return;
        claims_whole_[link] = 1;
        claims_[link] += 6;
    }
    void claim_point(int link) { claims_[link] += 3; }
    // The same contact by coordinates of its own, where the response is factored.
    void claim_framed(int link, int count) { framed_claims_[link] += count; }
    const std::vector<int>& claims() const { return claims_; }
    // Whether all six of a link were claimed, or added.
    bool has_whole(int link) const { return of_link_[link] >= 0 || claims_whole_[link]; }
    // Once all are claimed: gives each link its places.
    void allot(bool framed) {
        const std::vector<int>& claims = framed ? framed_claims_ : claims_;
        int next = size();
        for (std::size_t i = 0; i < claims.size(); ++i) {
            next_[i] = next;
            next += claims[i];
        }
        all_.resize(next);
    }

    // The first of six coordinates of a link: forces, then torques, along the world's axes, about the reference.
    int add_link(const Model& model, int link) {
        if (of_link_[link] >= 0) return of_link_[link];
        of_link_[link] = claims_whole_[link] ? take(link, 6) : extend(6);
        return add_wrenches(model, link, of_link_[link], identity3<double>(), zero3<double>(), 6);
    }
    // The same of a link that a constraint holds.
    int add_constrained_link(const Model& model, int link) {
        bends_ = true;
        return add_link(model, link);
    }
    // The first of three or six coordinates of a point: forces along the columns of a frame, then torques about them; `arm` leads to it
    // from the reference. They were claimed.
    int add_framed(const Model& model, int link, const Mat3<double>& frame, const Vec3<double>& arm, int count) {
        return add_wrenches(model, link, take(link, count), frame, arm, count);
    }
    // The first of three coordinates of a contact at points around a link, which has claimed all six of its link. `arm`: from the reference
    // to the link's origin; `contact`: from the points' middle to the contact, on what turns with the link.
    int add_points(const Model& model, int link, int soft, const PointShares& on, const Mat3<double>& frame, const PointShare& share,
                   const Vec3<double>& arm, const Vec3<double>& contact) {
        const int coordinate = add_link(model, link);
        PointContact& p = points_.emplace_back();  // filled number by number: a copy of what was just written would wait for it
        p.soft = soft, p.link = link, p.coordinate = coordinate;
        p.on.count = on.count;
        for (int k = 0; k < 3; ++k) p.on.points[k] = on.points[k], p.on.weights[k] = on.weights[k], p.slots[k] = -1;
        p.share = share.share;
        write3(&p.arm.x, share.moment + arm * share.share + contact);
        p.frame = frame;
        return kOfPoints + 3 * (static_cast<int>(points_.size()) - 1);
    }
    std::vector<PointContact>& points() { return points_; }
    // The contact that a coordinate is of.
    static std::size_t index_of(int coordinate) { return (coordinate - kOfPoints) / 3; }
    const PointContact& point(int coordinate) const { return points_[index_of(coordinate)]; }
    int add_dof(const Model& model, int dof) {
        if (of_dof_[dof] >= 0) return of_dof_[dof];
        of_dof_[dof] = size();
        const int link = model.dof_link[dof];
        mark(model, link);
        all_.push_back({link, dof, {}});
        return size() - 1;
    }
    // A combination of dofs: its motion is the sum of factor * velocity, its impulse a force of factor on each.
    int add_combination(const Model& model, const DofShare* shares, int count) {
        const int begin = static_cast<int>(shares_.size());
        shares_.insert(shares_.end(), shares, shares + count);
        for (int i = 0; i < count; ++i) mark(model, model.dof_link[shares[i].dof]);
        needs_matrix_ = true;
        all_.push_back({-1, kCombined, {}, begin, begin + count});
        return size() - 1;
    }
    template <class Archive>
    void archive(Archive& archive) {
        archive(all_);
        archive(shares_);
        archive(points_);
    }

private:
    // Claimed places of a link, and places behind all others.
    int take(int link, int count) {
        next_[link] += count;
        return next_[link] - count;
    }
    int extend(int count) {
        all_.resize(all_.size() + count);
        return size() - count;
    }
    int add_wrenches(const Model& model, int link, int first, const Mat3<double>& frame, const Vec3<double>& arm, int count) {
        mark(model, link);
        const Vec3<double>* axes = &frame.x;
        for (int c = 0; c < 3; ++c) all_[first + c] = {link, kOfLink, {cross(arm, axes[c]), axes[c]}};
        for (int c = 3; c < count; ++c) all_[first + c] = {link, kOfLink, {axes[c - 3], zero3<double>()}};
        return first;
    }
    void mark(const Model& model, int link) {
        for (int i = link; i >= 0 && !marked_[i]; i = model.links[i].parent) marked_[i] = 1;
    }

    std::vector<Coordinate> all_;
    std::vector<DofShare> shares_;
    std::vector<int> of_link_, of_dof_;                // the first coordinate of links and dofs, -1: none
    std::vector<int> claims_, framed_claims_, next_;   // of links: coordinates that were claimed, the next one of these
    std::vector<char> marked_, claims_whole_;
    bool needs_matrix_ = false, bends_ = false;
    std::vector<PointContact> points_;
};

KIDO_END
