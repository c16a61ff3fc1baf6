"""The program of a worker process: `python -m suitecase.run.worker_process`."""

from __future__ import annotations

import gc

# Importing 400 modules would set off a hundred collections, which find nothing. `main` enables them.
gc.disable()

import os

from suitecase.run.worker import main

if __name__ == "__main__":
    main()
    # Do not wait for threads that are still loading a library.
    os._exit(0)
