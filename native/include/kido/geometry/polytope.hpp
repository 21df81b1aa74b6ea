#pragma once

#include "kido/geometry/space.hpp"

// A convex polytope of triangles that grows point by point.

KIDO_BEGIN

namespace geometry {

class Polytope {
public:
    static constexpr int kMostVertices = 100, kMostFaces = 2 * kMostVertices;

    struct Face {
        int corner[3];    // counterclockwise from outside
        int neighbor[3];  // across the edge from a corner to the next
        Vector normal;    // outward
        double distance;  // from the origin
        bool present;
    };

    int count = 0;
    Vector vertices[kMostVertices];

    bool full() const { return count == kMostVertices; }
    const Face& face(int k) const { return faces_[k]; }
    // Largest coordinate.
    double size() const { return size_; }

    void add(const Vector& v) {
        vertices[count++] = v;
        size_ = max(size_, max(abs(v.x), max(abs(v.y), abs(v.z))));
    }

    // Makes the tetrahedron of the first four vertices. False where it is flat.
    bool close() {
        const Vector n = cross(vertices[1] - vertices[0], vertices[2] - vertices[0]);
        const bool below = dot(n, vertices[3] - vertices[0]) < 0.0;
        const int j = below ? 1 : 2, k = below ? 2 : 1;
        num_faces_ = 4;
        return set(0, 0, j, k, 3, 2, 1) && set(1, 0, k, 3, 0, 2, 3) && set(2, k, j, 3, 0, 3, 1) && set(3, j, 0, 3, 0, 1, 2);
    }

    int nearest_face() const {
        int best = -1;
        for (int k = 0; k < num_faces_; ++k) {
            if (faces_[k].present && (best < 0 || faces_[k].distance < faces_[best].distance)) best = k;
        }
        return best;
    }

    // Takes in a point that lies beyond a face: all faces that see it, from that one on, are replaced by those between it and their rim.
    // False where rounding does not let it.
    bool grow(int beyond, const Vector& point) {
        add(point);
        remove(beyond, point);
        int starting[kMostVertices];  // the new face that begins at a vertex of the rim
        for (int k = 0; k < count; ++k) starting[k] = -1;
        for (int k = 0; k < num_edges_; ++k) {
            const Edge& edge = edges_[k];
            const int slot = free_slot();
            if (slot < 0 || starting[edge.from] >= 0) return false;
            starting[edge.from] = slot;
            if (!set(slot, edge.from, edge.to, count - 1, edge.outside, -1, -1)) return false;
            Face& outside = faces_[edge.outside];
            for (int i = 0; i < 3; ++i) {
                if (outside.corner[i] == edge.to) outside.neighbor[i] = slot;
            }
        }
        for (int k = 0; k < num_edges_; ++k) {
            const int slot = starting[edges_[k].from], next = starting[edges_[k].to];
            if (next < 0) return false;
            faces_[slot].neighbor[1] = next;
            faces_[next].neighbor[2] = slot;
        }
        return num_edges_ >= 3;
    }

private:
    static constexpr double kCoplanar = 1e-14;  // of the size: points so little below a face still see it

    struct Edge {
        int from, to, outside;  // of a face that stays
    };

    // False where the corners lie on a line.
    bool set(int slot, int a, int b, int c, int across_ab, int across_bc, int across_ca) {
        const Vector n = cross(vertices[b] - vertices[a], vertices[c] - vertices[a]);
        const double square = dot(n, n);
        if (square <= kUnderflow) return false;
        const Vector normal = n * (1.0 / sqrt(square));
        faces_[slot] = {{a, b, c}, {across_ab, across_bc, across_ca}, normal, dot(normal, vertices[a]), true};
        return true;
    }

    int free_slot() {
        if (num_free_ > 0) return free_[--num_free_];
        return num_faces_ < kMostFaces ? num_faces_++ : -1;
    }

    // Removes the faces that see a point, and lists the edges around them.
    void remove(int beyond, const Vector& point) {
        int removed[kMostFaces], number = 1;
        removed[0] = beyond;
        faces_[beyond].present = false;
        for (int k = 0; k < number; ++k) {
            for (const int other : faces_[removed[k]].neighbor) {
                Face& face = faces_[other];
                if (!face.present || dot(face.normal, point) <= face.distance - kCoplanar * size_) continue;
                face.present = false;
                removed[number++] = other;
            }
        }
        num_edges_ = 0;
        for (int k = 0; k < number; ++k) {
            const Face& face = faces_[removed[k]];
            for (int i = 0; i < 3; ++i) {
                if (!faces_[face.neighbor[i]].present) continue;
                edges_[num_edges_++] = {face.corner[i], face.corner[(i + 1) % 3], face.neighbor[i]};
            }
        }
        for (int k = 0; k < number; ++k) free_[num_free_++] = removed[k];
    }

    Face faces_[kMostFaces];
    Edge edges_[3 * kMostFaces];
    int free_[kMostFaces];
    int num_faces_ = 0, num_free_ = 0, num_edges_ = 0;
    double size_ = 0.0;
};

}  // namespace geometry

KIDO_END
