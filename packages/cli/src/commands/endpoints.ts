import type { VideoStatus, Endpoint, EndpointRequest } from '@gateway/client';
import { collect } from '../collect.ts';
import type { Argument, Command } from '../command.ts';
import { openClient } from '../credentials.ts';
import { exitCodes } from '../exit-codes.ts';
import { harmless, table, tell } from '../terminal.ts';
import { testText } from './callbacks.ts';

const statuses = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'] as const;
const id: Argument = { name: 'ID', help: 'id of an endpoint, endpoint_…', required: true };

const list: Command = {
  name: 'endpoints list',
  summary: 'lists the addresses to which the statuses of all videos are pushed',
  options: {},
  examples: ['gw endpoints list'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const endpoints = await collect(client.endpoints.list(terminal));
    const header = ['ID', 'STATE', 'EVENTS', 'URL'];
    const rows = endpoints.map((each) => [each.id, each.state, eventsText(each), each.url]);
    tell(terminal, given, { found: endpoints, words: () => harmless(table([header, ...rows])) });
    return exitCodes.done;
  },
};

const eventsText = ({ events }: Endpoint): string =>
  events.length === statuses.length ? 'all' : events.join(',');

const add: Command = {
  name: 'endpoints add',
  summary: 'adds an address, which has to answer a challenge first',
  argument: { name: 'URL', help: 'where pushes are to go', required: true },
  options: {
    event: {
      value: 'STATUS',
      help: 'only this status; repeat it',
      multiple: true,
      words: statuses,
    },
    description: { value: 'TEXT', help: 'what it is for' },
  },
  examples: [
    'gw endpoints add https://receiver.example/hook',
    'gw endpoints add https://receiver.example/hook --event succeeded --event failed',
  ],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const events = given.texts('event') as readonly VideoStatus[];
    const request: EndpointRequest = {
      url: given.theArgument,
      ...(events.length > 0 && { events: [...events] }),
      ...given.only('description'),
    };
    const found = await client.endpoints.create(request, terminal);
    tell(terminal, given, { found, words: () => endpointText(found) });
    return found.state === 'active' ? exitCodes.done : exitCodes.unsuccessful;
  },
};

const endpointText = ({ id: endpointId, state, detail, reason }: Endpoint): string => {
  if (state === 'active') return harmless(`${endpointId} is active.\n`);
  const why = detail ?? reason;
  return harmless(
    `${endpointId} is ${state}${why === null ? '' : `: ${why}`}. "gw endpoints verify" sends the challenge once more.\n`,
  );
};

const verify: Command = {
  name: 'endpoints verify',
  summary: 'sends the challenge once more',
  argument: id,
  options: {},
  examples: ['gw endpoints verify endpoint_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.endpoints.verify(given.theArgument, terminal);
    tell(terminal, given, { found, words: () => endpointText(found) });
    return found.state === 'active' ? exitCodes.done : exitCodes.unsuccessful;
  },
};

const switched = (name: 'enable' | 'disable', summary: string): Command => ({
  name: `endpoints ${name}`,
  summary,
  argument: id,
  options: {},
  examples: [`gw endpoints ${name} endpoint_01m7z1vegze4b97z2xd0j0rnt8`],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const patch = { enabled: name === 'enable' };
    const found = await client.endpoints.change(given.theArgument, patch, terminal);
    tell(terminal, given, { found, words: () => harmless(`${found.id} is ${found.state}.\n`) });
    return exitCodes.done;
  },
});

const remove: Command = {
  name: 'endpoints remove',
  summary: 'removes an address; what was pending there is dropped',
  argument: id,
  options: {},
  examples: ['gw endpoints remove endpoint_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.endpoints.delete(given.theArgument, terminal);
    tell(terminal, given, { found, words: () => harmless(`${found.id} is removed.\n`) });
    return exitCodes.done;
  },
};

const test: Command = {
  name: 'endpoints test',
  summary: 'sends a signed test event there and says what came back',
  argument: id,
  options: {},
  examples: ['gw endpoints test endpoint_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.endpoints.test(given.theArgument, terminal);
    tell(terminal, given, { found, words: () => testText(found) });
    return found.delivered ? exitCodes.done : exitCodes.unsuccessful;
  },
};

export const endpointCommands: readonly Command[] = [
  list,
  add,
  verify,
  switched('disable', 'pushes nothing there until it is enabled again'),
  switched('enable', 'pushes there again'),
  remove,
  test,
];
