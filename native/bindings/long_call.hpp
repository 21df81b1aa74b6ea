#pragma once

#include <nanobind/nanobind.h>

#include "kido/batch/stop_signal.hpp"

namespace kido {

namespace nb = nanobind;

// Native work during which other Python threads run. In the main thread, signal handlers of Python run meanwhile; where one of
// them raises, as Ctrl-C does, the work is to stop.
class LongCall : public StopSignal {
public:
    LongCall() : thread_(PyEval_SaveThread()) {}
    ~LongCall();

private:
    bool ask() override;

    PyThreadState* thread_;
};

// Calls work(stop) without the interpreter lock. Throws what a signal handler raised.
template <class Work>
void without_lock(const Work& work) {
    bool stopped;
    {
        LongCall call;
        work(static_cast<StopSignal*>(&call));
        stopped = call.is_set();
    }
    if (stopped) throw nb::python_error();
}

// Called once, by the import.
void remember_main_thread();

}  // namespace kido
