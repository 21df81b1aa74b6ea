#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/lcp/problem.hpp"

namespace kido {

// One of several problems: its result is written where `result` says.
struct LcpTask {
    LcpProblem problem;
    const double* start;  // may be null: zeros
    LcpResult result;
};

// Solves all of them, several at a time on threads. Where `stop` is set, some are left unfinished. Throws
// std::bad_alloc.
void solve_lcps(const LcpSettings& settings, LcpTask* tasks, std::size_t count, StopSignal* stop);

// Residual of x, where w = A x + b is written; `natural` (n) takes that of each row.
double residual_of_lcp(const LcpProblem& problem, const double* x, double* w, double* natural);

// Outcome in a word, and in a sentence.
const char* lcp_status(LcpReason reason);
const char* lcp_message(LcpReason reason);

}  // namespace kido
