"""Inverse kinematics of arms: kido beside dartpy, pink, mink, TRAC-IK, rtb, Drake, EAIK, ssik."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from _ik import main  # noqa: E402  (numerical libraries read the variables when they are imported)

if __name__ == "__main__":
    main()
