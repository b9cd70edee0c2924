"""openai-agents as it comes: it speaks responses, and names its last one."""

import asyncio
import os

from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

set_default_openai_client(
    AsyncOpenAI(
        base_url=os.environ["GATEWAY_URL"] + "/v1", api_key=os.environ["GATEWAY_KEY"], max_retries=0
    ),
    use_for_tracing=False,
)
set_tracing_disabled(True)
called = []


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    called.append(city)
    return "19 degrees"


async def run(model):
    called.clear()
    agent = Agent(name="guide", instructions="Help.", model=model, tools=[get_weather])

    whole = await Runner.run(agent, '[call=get_weather {"city":"Lisbon"}] weather?')
    assert "19 degrees" in whole.final_output, whole

    streamed = Runner.run_streamed(agent, '[call=get_weather {"city":"Porto"}] weather?')
    types = [event.type async for event in streamed.stream_events()]
    assert "raw_response_event" in types, types
    assert "19 degrees" in streamed.final_output, streamed
    assert called == ["Lisbon", "Porto"], called

    later = await Runner.run(agent, "Say hello.", previous_response_id=whole.last_response_id)
    assert later.final_output, later


async def main():
    for model in os.environ["MODELS"].split():
        await run(model)


asyncio.run(main())
