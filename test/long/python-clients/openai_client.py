"""The official OpenAI client: responses, chat completions and embeddings, on every upstream."""

import json
import os

from openai import BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(
    base_url=os.environ["GATEWAY_URL"] + "/v1", api_key=os.environ["GATEWAY_KEY"], max_retries=0
)
schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
tool = {"type": "function", "name": "get_weather", "strict": True, "parameters": schema}
chat_tool = {"type": "function", "function": {"name": "get_weather", "parameters": schema}}
asks_weather = '[call=get_weather {"city":"Lisbon"}] weather?'


class Place(BaseModel):
    city: str
    degrees: int


def refusal(error, act):
    try:
        act()
    except error as refused:
        return refused
    raise AssertionError(f"no {error.__name__}")


def responses(model):
    whole = client.responses.create(model=model, input="Say hello.")
    assert whole.output_text and whole.status == "completed", whole
    assert whole.usage.total_tokens > 0, whole

    with client.responses.stream(
        model=model, input="[think] Say hello.", reasoning={"effort": "low"}
    ) as stream:
        types = [event.type for event in stream]
        final = stream.get_final_response()
    assert (types[0], types[-1]) == ("response.created", "response.completed"), types
    assert [item.type for item in final.output] == ["reasoning", "message"], final

    parsed = client.responses.parse(model=model, input="where?", text_format=Place)
    assert isinstance(parsed.output_parsed, Place), parsed

    error = refusal(
        BadRequestError, lambda: client.responses.create(model=model, input="x", background=True)
    )
    assert error.param == "background", error.body


def kept_responses(model):
    first = client.responses.create(model=model, input=asks_weather, tools=[tool])
    call = next(item for item in first.output if item.type == "function_call")
    assert json.loads(call.arguments) == {"city": "Lisbon"}, call
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "19 degrees"}
    second = client.responses.create(
        model=model, previous_response_id=first.id, tools=[tool], input=[result]
    )
    assert "19 degrees" in second.output_text, second

    assert client.responses.retrieve(second.id).output_text == second.output_text
    items = list(client.responses.input_items.list(second.id))
    assert [item.type for item in items] == ["function_call_output"], items
    client.responses.delete(second.id)
    error = refusal(NotFoundError, lambda: client.responses.retrieve(second.id))
    assert "not found" in str(error), error


def chat(model):
    hello = [{"role": "user", "content": "Say hello."}]
    whole = client.chat.completions.create(model=model, messages=hello)
    assert whole.choices[0].message.content, whole

    with client.chat.completions.stream(
        model=model, messages=[{"role": "user", "content": asks_weather}], tools=[chat_tool]
    ) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    call = final.choices[0].message.tool_calls[0].function
    assert (call.name, json.loads(call.arguments)) == ("get_weather", {"city": "Lisbon"}), final

    parsed = client.chat.completions.parse(model=model, messages=hello, response_format=Place)
    assert isinstance(parsed.choices[0].message.parsed, Place), parsed


for name in os.environ["MODELS"].split():
    responses(name)
    kept_responses(name)
    chat(name)

vectors = client.embeddings.create(model="sandbox-embedding", input=["a", "b"])
assert [len(one.embedding) > 0 for one in vectors.data] == [True, True], vectors
