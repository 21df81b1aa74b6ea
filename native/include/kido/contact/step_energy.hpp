#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/spatial/vector.hpp"

// What springs, gas and gravity gain in a step beyond what they take from the motion, where points stay back by a share of their way.

KIDO_BEGIN

// A gas whose volume is a cubic polynomial of the share, for places on straight ways are those of its corners.
struct GasWay {
    double modulus, rest;          // [Pa], [m^3]
    double volume, slope, curve, cubic;  // at the share s: volume + slope s + curve s^2 + cubic s^3

    // Through volumes at the shares 0, 1/2, 1 and -1.
    static GasWay through(double modulus, double rest, double start, double middle, double end, double before) {
        const double even = 0.5 * (end + before) - start, odd = 0.5 * (end - before);
        const double cubic = (odd - 2.0 * (middle - start - 0.25 * even)) * (4.0 / 3.0);
        return {modulus, rest, start, odd - cubic, even, cubic};
    }
    // Beyond that of the gas at rest, by Boyle's law; without bounds where the surface is turned inside out.
    double energy(double s) const {
        const double now = volume + s * (slope + s * (curve + s * cubic));
        return now > 0.0 ? modulus * (now - rest - rest * std::log(now / rest)) : HUGE_VAL;
    }
};

// A spring that keeps its length, whose ends are `start` + `way` s from each other at the share s.
struct EdgeWay {
    double stiffness, rest;  // [N/m], [m]
    Vec3<double> start, way;

    double energy(double s) const {
        const Vec3<double> now = start + way * s;
        const double stretch = std::sqrt(dot(now, now)) - rest;
        return 0.5 * stiffness * stretch * stretch;
    }
};

// At the share s: over + slope s + curve s^2 [J], and the energies of gases and edges.
struct StepEnergy {
    double over = 0.0, slope = 0.0, curve = 0.0;
    std::vector<GasWay> gases = {};
    std::vector<EdgeWay> edges = {};

    void add(const StepEnergy& other) {
        over += other.over;
        slope += other.slope;
        curve += other.curve;
        gases.insert(gases.end(), other.gases.begin(), other.gases.end());
        edges.insert(edges.end(), other.edges.begin(), other.edges.end());
    }
    double gained(double s) const {
        double sum = over + s * (slope + s * curve);
        for (const GasWay& gas : gases) sum += gas.energy(s);
        for (const EdgeWay& edge : edges) sum += edge.energy(s);
        return sum;
    }
    // The least share in [0, 1] by which nothing is gained; where there is none, that of the least gain.
    double least_share() const {
        if (!(gained(0.0) > 0.0)) return 0.0;
        if (!gases.empty() || !edges.empty()) return searched();
        if (!(curve > 0.0) || slope >= 0.0) return 0.0;
        const double under = slope * slope - 4.0 * curve * over;
        return std::min(under >= 0.0 ? 2.0 * over / (std::sqrt(under) - slope) : -slope / (2.0 * curve), 1.0);
    }

private:
    static constexpr int kTried = 16, kHalved = 40;

    double searched() const {
        double best = 0.0, least = gained(0.0);
        for (int k = 1; k <= kTried; ++k) {
            double above = double(k - 1) / kTried, below = double(k) / kTried;
            const double now = gained(below);
            if (now < least) best = below, least = now;
            if (now > 0.0) continue;
            for (int i = 0; i < kHalved; ++i) {
                const double middle = 0.5 * (above + below);
                (gained(middle) > 0.0 ? above : below) = middle;
            }
            return below;
        }
        return best;
    }
};

KIDO_END
