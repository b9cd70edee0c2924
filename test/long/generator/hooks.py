"""What schemathesis cannot know: whose requests these are, and which ids there are."""

import json
import os
import random

import schemathesis

known = json.loads(os.environ["GATEWAY_KNOWN"])
dice = random.Random(int(os.environ["GATEWAY_SEED"]))
counter = open(os.environ["GATEWAY_COUNTER"], "ab", buffering=0)


def id_for(path):
    if path.startswith("/v1/assets"):
        return known["assetId"]
    if path.startswith("/admin/v1/accounts"):
        return known["spareAccountId"]
    if path.startswith("/admin/v1/keys"):
        return known["spareKeyId"]
    # An event stream of a task that is not over does not end.
    return known["finishedId"] if path.endswith("/events") else dice.choice(known["taskIds"])


def credentials(path):
    right = known["adminToken"] if path.startswith("/admin") else known["apiKey"]
    kind = dice.randrange(20)
    if kind == 0:
        return {}
    if kind == 1:
        return {"authorization": "Bearer " + known["weakKey"]}
    if kind == 2:
        return {"x-api-key": right}
    if kind == 3:
        return {"authorization": dice.choice(["Bearer", "Basic eDp5", "Bearer sk-gw-" + "x" * 4000])}
    return {"authorization": "Bearer " + right}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes a schema of an event stream for that of one event, and ours are of the whole text."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                response.get("content", {}).get("text/event-stream", {}).pop("schema", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    parameters = case.path_parameters or {}
    if "id" in parameters and dice.randrange(4) > 0:
        parameters["id"] = id_for(path)
    for name, value in credentials(path).items():
        case.headers[name] = value
    if path.endswith(("/content", "/last-frame", "/poster")) and dice.randrange(4) > 0:
        case.query = {**(case.query or {}), "token": known["mediaToken"]}


@schemathesis.hook
def after_call(context, case, response):
    counter.write(b".")
