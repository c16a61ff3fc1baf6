"""`inspect_run.py CASES LOGS`: inspect_ai on its mock model, with one check for a word."""

import sys

import inspect_ai
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


def answer(*_asked: object) -> ModelOutput:
    output = ModelOutput.from_content("mockllm", "it is plus")
    # Without it the library fetches a tokenizer from the network.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


samples = [Sample(f"What is {n} plus one?", target="plus") for n in range(int(sys.argv[1]))]
(log,) = inspect_ai.eval(
    inspect_ai.Task(MemoryDataset(samples), solver=generate(), scorer=includes()),
    model=get_model("mockllm/model", custom_outputs=answer),
    display="none",
    log_dir=sys.argv[2],
)
sys.exit(log.status != "success")
