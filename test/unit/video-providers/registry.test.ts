import { describe, expect, it } from '@jest/globals';
import { videoProviderKinds } from '@gateway/contracts';
import { capabilitiesOf, createVideoProvider, type ProviderTable } from '@gateway/video-providers';

describe('the table of video vendors', () => {
  it.each(videoProviderKinds)(
    'has an adapter for %s, with the capabilities known before it is opened',
    (kind) => {
      const provider = createVideoProvider(kind, {
        baseUrl: 'http://127.0.0.1:9/api/v3',
        apiKey: 'key-0123456789',
        timeoutMs: 1_000,
      });

      expect(provider.capabilities).toBe(capabilitiesOf(kind));
    },
  );

  it('says of ark that audio needs a picture and that it looks submissions up', () => {
    expect(capabilitiesOf('ark').audioNeedsPicture).toBe(true);
    expect(
      createVideoProvider('ark', { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', timeoutMs: 1 }).find,
    ).toBeDefined();
  });
});

// @ts-expect-error a kind without an adapter does not compile
export const withoutArk: ProviderTable = {};
