/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { readResponse, type Json } from '../../unit/text-dialects/responses-grammar.ts';
import { rawClient, type Raw } from './text-harness.ts';

let vendor: RunningSandbox;
let raw: ReturnType<typeof rawClient>;
beforeAll(async () => {
  vendor = await startSandboxVendor();
  raw = rawClient(vendor);
});
afterAll(() => vendor.stop());

const weather = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const create = (fields: object): Promise<Raw> =>
  raw.post('/v1/responses', { model: 'sandbox-responses', store: false, ...fields });
const told = ({ body }: Raw): Json & { readonly output: readonly Json[] } =>
  body as unknown as Json & { readonly output: readonly Json[] };
const include = ['reasoning.encrypted_content'];

describe('POST /v1/responses of the sandbox', () => {
  it.each([
    ['a text', { input: 'Tell me a story.' }, ['message']],
    [
      'thoughts',
      { input: 'why?', reasoning: { effort: 'low' }, include },
      ['reasoning', 'message'],
    ],
    [
      'parallel calls',
      {
        input: '[call=get_weather {"city":"Lisbon"}] [call=get_weather {"city":"Faro"}]',
        tools: [weather],
      },
      ['function_call', 'function_call'],
    ],
    [
      'a custom call',
      { input: '[call=note {"input":"a b c"}]', tools: [{ type: 'custom', name: 'note' }] },
      ['custom_tool_call'],
    ],
  ])(
    'streams %s by the grammar, and ends with the whole response',
    async (_name, fields, types) => {
      const { response, items } = readResponse((await create({ ...fields, stream: true })).text);

      expect(items.map(({ type }) => type)).toEqual(types);
      const { output, usage } = told(await create(fields));
      const withoutIds = (list: unknown): unknown =>
        (list as Json[]).map(({ id: _id, call_id: _call, ...item }) => item);
      expect(withoutIds(response!['output'])).toEqual(withoutIds(output));
      expect(response!['usage']).toMatchObject({
        output_tokens: (usage as Json)['output_tokens'],
      });
    },
  );

  it('goes on from its own encrypted thoughts and its calls', async () => {
    const first = told(
      await create({ input: '[think] [call=get_weather]', tools: [weather], include }),
    );
    const call = first.output.find(({ type }) => type === 'function_call')!;

    const second = await create({
      tools: [weather],
      input: [
        { role: 'user', content: '[think] [call=get_weather]' },
        ...first.output,
        { type: 'function_call_output', call_id: call['call_id'], output: '19 degrees' },
      ],
    });

    expect(second.text).toContain('The tool get_weather answered');
  });

  it('is incomplete where it was cut, and where it refused', async () => {
    const details = async (fields: object) => told(await create(fields))['incomplete_details'];

    expect(await details({ input: 'go on', max_output_tokens: 16 })).toEqual({
      reason: 'max_output_tokens',
    });
    expect(await details({ input: '[refuse] x' })).toEqual({ reason: 'content_filter' });
  });

  it.each([
    [
      'what it has not kept',
      { previous_response_id: 'resp_1' },
      400,
      'previous_response_not_found',
    ],
    [
      'an item that it has not kept',
      { input: [{ type: 'item_reference', id: 'rs_1' }] },
      404,
      null,
    ],
    [
      'thoughts without their encrypted form',
      { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] },
      404,
      null,
    ],
    [
      'thoughts of another vendor',
      { input: [{ type: 'reasoning', summary: [], encrypted_content: 'gw1r.e30' }] },
      400,
      'invalid_encrypted_content',
    ],
    [
      'a result without its call',
      { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
      400,
      null,
    ],
    [
      'a call without its result',
      { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
      400,
      null,
    ],
    [
      'an id of another kind',
      { input: [{ id: 'item_1', role: 'user', content: 'x' }] },
      400,
      'invalid_value',
    ],
    ['a field that it does not know', { thread: 1 }, 400, 'unknown_parameter'],
    ['a model that is missing', { model: 'missing-one' }, 404, 'model_not_found'],
  ])('refuses %s', async (_name, fields, status, code) => {
    const refused = await create({ input: 'hi', ...fields });

    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
  });
});
