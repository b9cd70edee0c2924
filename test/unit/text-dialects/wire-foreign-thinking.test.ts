import { describe, expect, it } from '@jest/globals';
import { withoutForeignThinking } from '@gateway/text-dialects';

const anthropic = { vendor: 'anthropic', model: 'some-model' };
const foreign = { type: 'thinking', thinking: 'hm', signature: 'gw1.0badcafe' };
const own = { type: 'thinking', thinking: 'ah', signature: 'EqQB' };
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const text = { type: 'text', text: 'so' };
const result = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }],
};
const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
const ask = { role: 'user', content: 'why?' };
const said = (...content: object[]): object => ({ role: 'assistant', content });

const strip = (body: object, upstream: { vendor: string; model: string } = anthropic): unknown =>
  JSON.parse(withoutForeignThinking(Buffer.from(JSON.stringify(body)), upstream).toString());

describe('a messages body for a messages upstream', () => {
  it('is the same Buffer where no chat upstream had thoughts in it', () => {
    const body = Buffer.from(
      JSON.stringify({
        messages: [ask, said(own, text), { role: 'user', content: 'gw1. is what?' }],
      }),
    );

    expect(withoutForeignThinking(body, anthropic)).toBe(body);
  });

  it.each(['gw1.0badcafe', 'gw1s.c2ln', 'gw1e.c2ln'])(
    'loses thoughts signed %s, and keeps every other block',
    (signature) => {
      expect(
        strip({
          model: 'm',
          messages: [ask, said({ ...foreign, signature }, text), ask, said(own, text), ask],
        }),
      ).toEqual({ model: 'm', messages: [ask, said(text), ask, said(own, text), ask] });
    },
  );

  it('keeps a text that only speaks of such a signature', () => {
    const quoting = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'gw1.0badcafe' }] }],
    };

    expect(strip(quoting)).toEqual(quoting);
  });

  it('keeps them for vendors that accept thoughts without a proof', () => {
    const body = { messages: [ask, said(foreign, text), ask] };

    expect(strip(body, { vendor: 'minimax', model: 'MiniMax-M2' })).toEqual(body);
  });

  it.each<[string, object[], boolean]>([
    [
      'asks for no thinking by budget while a call made without thoughts gets its result',
      [ask, said(foreign, call), result],
      false,
    ],
    [
      'asks for thinking when the call came from thoughts of its own',
      [ask, said(foreign, text), ask, said(own, call), result],
      true,
    ],
    ['asks for thinking when nothing was called', [ask, said(foreign, text), ask], true],
  ])('%s', (_name, messages, thinks) => {
    expect('thinking' in (strip({ ...budget, messages }) as object)).toBe(thinks);
  });

  it('leaves adaptive thinking on', () => {
    expect(
      strip({ thinking: { type: 'adaptive' }, messages: [ask, said(foreign, call), result] }),
    ).toMatchObject({ thinking: { type: 'adaptive' } });
  });
});
