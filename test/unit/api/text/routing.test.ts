import { describe, expect, it } from '@jest/globals';
import type { TextRoute } from '@gateway/contracts';
import { afterFailure } from '../../../../services/api/src/text/route/after-failure.ts';
import { chooseRoutes } from '../../../../services/api/src/text/route/choose-routes.ts';
import { matchTextPath } from '../../../../services/api/src/text/request/text-path.ts';

describe('the paths of the text lane', () => {
  it.each([
    ['/v1/messages', 'messages', 'create'],
    ['/v1/messages?beta=true', 'messages', 'create'],
    ['/v1/messages/', 'messages', 'create'],
    ['//v1/messages', 'messages', 'create'],
    ['/messages', 'messages', 'create'],
    ['/v1/v1/messages', 'messages', 'create'],
    ['/v1/messages/count_tokens?beta=true', 'messages', 'count_tokens'],
    ['/v1/messages/batches', 'messages', 'unknown'],
    ['/v1/chat/completions', 'chat', 'create'],
    ['/chat/completions', 'chat', 'create'],
    ['/v1/v1/chat/completions/', 'chat', 'create'],
    ['/v1/chat/completions/abc', 'chat', 'unknown'],
    ['/v1/responses', 'responses', 'create'],
    ['/v1/v1/responses/', 'responses', 'create'],
    ['/v1/embeddings', 'chat', 'embed'],
    ['/embeddings?user=x', 'chat', 'embed'],
    ['/v1/embeddings/abc', 'chat', 'unknown'],
  ])('%s belongs to the dialect %s and asks to %s', (url, dialect, operation) => {
    expect(matchTextPath(url)).toMatchObject({ dialect, operation });
  });

  it.each([
    '/',
    '/v1/videos',
    '/v1/models',
    '/v1/messagesx',
    '/v1/responsesx',
    '/v1/responses/resp_1',
    '/v2/messages',
    '/v1/videos/messages',
    '/?/v1/messages',
  ])('%s is not of the lane', (url) => {
    expect(matchTextPath(url)).toBeUndefined();
  });
});

const route = (provider: string, extra: Partial<TextRoute> = {}): TextRoute => ({
  name: `${provider}/m`,
  provider,
  upstreamModel: 'm',
  weight: 1,
  fallback: false,
  quirks: {},
  ...extra,
});
const providersOf = (routes: readonly TextRoute[]): string[] =>
  routes.map(({ provider }) => provider);

describe('choosing routes', () => {
  it('tries every usual route before the fallbacks, which keep the order of the file', () => {
    const routes = [
      route('f1', { fallback: true }),
      route('a'),
      route('f2', { fallback: true }),
      route('b'),
    ];

    expect(providersOf(chooseRoutes(routes, () => 0))).toEqual(['a', 'b', 'f1', 'f2']);
    expect(providersOf(chooseRoutes(routes, () => 0.99))).toEqual(['b', 'a', 'f1', 'f2']);
  });

  it('draws by weight', () => {
    const routes = [route('heavy', { weight: 3 }), route('light', { weight: 1 })];
    const first = Array.from(
      { length: 1_000 },
      (_, index) => providersOf(chooseRoutes(routes, () => index / 1_000))[0],
    );

    expect(first.filter((name) => name === 'heavy')).toHaveLength(750);
  });

  it('never draws a route of weight 0 before another', () => {
    expect(providersOf(chooseRoutes([route('off', { weight: 0 }), route('on')], () => 0))).toEqual([
      'on',
      'off',
    ]);
  });
});

describe('what a failure before the first byte allows', () => {
  it.each([
    [{ kind: 'unreachable', reason: '' }, 'same_route', 'route'],
    [{ kind: 'broken', reason: '' }, 'same_route', 'request'],
    [{ kind: 'timeout', reason: '' }, 'other_route', 'request'],
    [{ kind: 'aborted', reason: '', sent: true }, 'no', 'nobody'],
    [{ kind: 'refused', status: 400, retryAfterMs: undefined }, 'no', 'nobody'],
    [{ kind: 'refused', status: 413, retryAfterMs: undefined }, 'no', 'nobody'],
    [{ kind: 'refused', status: 422, retryAfterMs: undefined }, 'no', 'nobody'],
    [{ kind: 'refused', status: 401, retryAfterMs: undefined }, 'other_route', 'route'],
    [{ kind: 'refused', status: 402, retryAfterMs: undefined }, 'other_route', 'account'],
    [{ kind: 'refused', status: 403, retryAfterMs: undefined }, 'other_route', 'account'],
    [{ kind: 'refused', status: 404, retryAfterMs: undefined }, 'other_route', 'nobody'],
    [{ kind: 'refused', status: 429, retryAfterMs: undefined }, 'other_route', 'nobody'],
    [{ kind: 'refused', status: 500, retryAfterMs: undefined }, 'same_route', 'request'],
    [{ kind: 'refused', status: 503, retryAfterMs: undefined }, 'same_route', 'account'],
    [{ kind: 'refused', status: 529, retryAfterMs: undefined }, 'same_route', 'account'],
    [{ kind: 'refused', status: 520, retryAfterMs: undefined }, 'other_route', 'request'],
  ] as const)('%j: %s', (failure, again, blame) => {
    expect(afterFailure(failure)).toEqual({ again, blame });
  });
});
