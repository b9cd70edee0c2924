import { describe, expect, it } from '@jest/globals';
import type { Resolve } from '@gateway/outbound';
import { createMediaRule } from '../../../../services/api/src/text/upstream/media-rule.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  'public.test.com': ['93.184.216.34', '2606:4700::1111'],
  'private.test.com': ['10.0.0.7'],
  'mixed.test.com': ['93.184.216.34', '127.0.0.1'],
  'nowhere.test.com': [],
};
const asked: string[] = [];
const resolve: Resolve = (name) => {
  asked.push(name);
  if (name === 'silent.test.com') return new Promise(() => undefined);
  return names[name] ?? Promise.reject(new Error('ENOTFOUND'));
};
const check = (...hosts: string[]): Promise<void> =>
  createMediaRule({ allowCidrs: [], resolve, timeoutMs: 50 }).check(
    hosts.map((host, index) => ({ param: `messages[${index}]`, address: `https://${host}/x` })),
  );

describe('names in addresses of media', () => {
  it('pass when all they lead to is public, and each is resolved once', async () => {
    asked.length = 0;
    await check('public.test.com', 'public.test.com', '93.184.216.34');

    expect(asked).toEqual(['public.test.com']);
  });

  it.each([
    ['private.test.com', 'must lead to a public address'],
    ['mixed.test.com', 'must lead to a public address'],
    ['nowhere.test.com', 'cannot be resolved'],
    ['unknown.test.com', 'cannot be resolved'],
    ['silent.test.com', 'was not resolved within 50 ms'],
  ])('are refused when they are %s', async (host, message) => {
    await expect(check('public.test.com', host)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
    });
  });

  it('may be sixteen', async () => {
    const hosts = Array.from({ length: 17 }, (_, index) => `h${index}.test.com`);

    await expect(check(...hosts)).rejects.toMatchObject({ param: 'messages[16]' });
  });
});
