"""`inspect_bootstrap.py CASES.npz DRAWS`: inspect_ai's bootstrap intervals of every figure and slice."""

import sys

import numpy as np
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.scorer._metrics import ci

if len(sys.argv) > 1:
    data = np.load(sys.argv[1])
    interval = ci(method="bootstrap", num_samples=int(sys.argv[2]))
    for values in data["values"]:
        scores = [SampleScore(score=Score(value=float(it))) for it in values]
        for name in data.files:
            if name.startswith("slice"):
                interval([scores[it] for it in data[name]])
