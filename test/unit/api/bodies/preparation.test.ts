import { describe, expect, it } from '@jest/globals';
import { createPreparation } from '../../../../services/api/src/bodies/preparation.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';
import type {
  InspectCommand,
  RenderCommand,
} from '../../../../services/api/src/bodies/text-commands.ts';

type Client = 'messages' | 'chat';

const found = 'const a = "b\\n"; // \u2013 \u{1f600}\n\tif (a === 1) return /x/;\n'.repeat(120);
const picture = `iVBORw0KGgo${'A'.repeat(300_000)}`;

/** What an agent called and its tools found, turn by turn; the last is the user's. */
function conversation(client: Client, turns: number): Buffer {
  const about = { role: 'user', content: pictureOf(client) };
  const messages = Array.from({ length: turns }, (_one, turn) => turnOf(client, turn)).flat();
  const fields = { model: 'ours', max_tokens: 8, messages: [...messages, about] };
  return Buffer.from(JSON.stringify(fields));
}

const pictureOf = (client: Client): object[] =>
  client === 'messages'
    ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }]
    : [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }];

function turnOf(client: Client, turn: number): object[] {
  const id = `toolu_${turn}`;
  const input = { path: `/a-${turn}.ts`, lines: [1, turn] };
  return client === 'messages'
    ? [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'so' },
            { type: 'tool_use', id, name: 'read', input },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: id, content: found },
            { type: 'text', text: found },
          ],
        },
      ]
    : [
        {
          role: 'assistant',
          content: 'so',
          tool_calls: [
            { id, type: 'function', function: { name: 'read', arguments: JSON.stringify(input) } },
          ],
        },
        { role: 'tool', tool_call_id: id, content: found },
        { role: 'user', content: found },
      ];
}

const inspecting = (dialect: Client): InspectCommand => ({
  kind: 'inspect',
  dialect,
  operation: 'create',
  media: false,
});
const rendering = (dialect: Client, to: Client): RenderCommand => ({
  kind: 'render',
  dialect,
  upstream: { dialect: to, vendor: 'generic', model: 'theirs', overrides: {} },
  addUsage: false,
  isExpanded: false,
  keepsResponses: false,
});

const pairs = [
  ['messages', 'chat'],
  ['chat', 'messages'],
  ['messages', 'messages'],
  ['chat', 'chat'],
] as const;

describe.each(pairs)('a large conversation in %s for an upstream of %s', (client, to) => {
  it.each([
    ['few', 20],
    ['many', 400],
  ])('of %s turns comes to what the whole comes to, byte for byte', async (_name, turns) => {
    const bytes = conversation(client, turns);
    const preparation = createPreparation(undefined);
    const body = new RequestBody(bytes, 'a');
    const whole = new RequestBody(bytes);
    const wholeInspection = whole.inspect(inspecting(client));
    const wholeRendered = whole.render(rendering(client, to));

    const inspection = preparation.inspect(body, inspecting(client));
    expect(await inspection).toEqual(wholeInspection);
    expect(body.hasManyValues).toBe(turns === 400);
    const rendered = preparation.render(body, rendering(client, to));
    const { body: pieces, memory, dropped } = await rendered;

    expect(Buffer.concat(pieces).equals(Buffer.concat(wholeRendered.body))).toBe(true);
    expect(dropped).toEqual(wholeRendered.dropped);
    expect({ ...memory, inputEstimate: 0 }).toEqual({ ...wholeRendered.memory, inputEstimate: 0 });
    // Streams have their turns between the steps of what takes milliseconds.
    expect(inspection instanceof Promise).toBe(turns === 400);
    expect(rendered instanceof Promise).toBe(turns === 400 && client !== to);
  });
});

describe('a body with an outline of many values', () => {
  it('is left to the whole where it has fewer than 256 bytes for each', () => {
    const bytes = conversation('messages', 400);
    const values = bytes.length / 256;
    const dense = (count: number): Buffer => {
      const text = bytes.toString().replace('{', `{"x":[${'1,'.repeat(count)}1],`);
      return Buffer.from(text);
    };
    const isRead = (body: Buffer): boolean =>
      new RequestBody(body).inspectLightly(inspecting('messages'), {
        leastBytes: 0,
        mostBytes: Infinity,
        outlineBytes: 0,
        outlineValues: 0,
      }) !== undefined;

    expect(isRead(bytes)).toBe(true);
    expect(isRead(dense(Math.round(values)))).toBe(false);
  });

  it('is written by its outline for another upstream after the first', async () => {
    const bytes = conversation('messages', 400);
    const preparation = createPreparation(undefined);
    const body = new RequestBody(bytes, 'a');
    await preparation.inspect(body, inspecting('messages'));

    body.translateLightly(rendering('messages', 'chat'));
    const other = rendering('messages', 'chat');
    const upstream = { ...other.upstream, model: 'another' };
    const rendered = body.renderLightly({ ...other, upstream });

    const pieces = rendered?.body ?? [];
    const written = JSON.parse(Buffer.concat(pieces).toString()) as { model: string };
    expect(written.model).toBe('another');
  });

  it('of which nothing can be read any more is not read between its steps', async () => {
    const bytes = conversation('messages', 400);
    const body = new RequestBody(bytes, 'a');
    const inspection = createPreparation(undefined).inspect(body, inspecting('messages'));

    body.free();

    await expect(inspection).rejects.toThrow('the body is empty');
  });
});
