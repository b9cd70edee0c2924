"""The official Anthropic client, with the tool runner that opens a thread unless it is refused."""

import os

from anthropic import Anthropic, beta_tool

client = Anthropic(
    base_url=os.environ["GATEWAY_URL"], api_key=os.environ["GATEWAY_KEY"], max_retries=0
)
hello = [{"role": "user", "content": "Say hello."}]
called = []


@beta_tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: Its name.
    """
    called.append(city)
    return "19 degrees"


for model in os.environ["MODELS"].split():
    whole = client.messages.create(model=model, max_tokens=100, messages=hello)
    assert whole.content[0].text, whole

    with client.messages.stream(model=model, max_tokens=100, messages=hello) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == final.content[0].text and final.usage.output_tokens > 0, final

    assert client.messages.count_tokens(model=model, messages=hello).input_tokens > 0

    called.clear()
    last = client.beta.messages.tool_runner(
        model=model,
        max_tokens=200,
        tools=[get_weather],
        messages=[{"role": "user", "content": '[call=get_weather {"city":"Lisbon"}] weather?'}],
    ).until_done()
    assert called == ["Lisbon"], called
    assert "19 degrees" in last.content[-1].text, last
