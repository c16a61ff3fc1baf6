# mypy: ignore-errors
def get_assert(output, context):
    print("noise")  # noqa: T201
    least = context.get("config", {}).get("least", 1)
    return {
        "pass_": len(output) >= least,
        "score": 0.25,
        "reason": f"{len(output)} of {len(context['vars']['text'])}",
        "named_scores": {"length": len(output)},
    }


def share(output, context):
    return min(len(output) / 10, 1)


async def is_short(output, context):
    return len(output) < 5


def as_text(output, context):
    return '{"pass": true, "score": 0.5, "reason": "in a text"}' if output else "False"


def raises(output, context):
    return context["nothing"]


class Checks:
    @staticmethod
    def is_long(output, context):
        return len(output) > 5
