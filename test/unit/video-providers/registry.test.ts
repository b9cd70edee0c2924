import { describe, expect, it } from '@jest/globals';
import { capabilitiesOf, createVideoProvider, videoVendors } from '@gateway/video-providers';

describe('the table of video vendors', () => {
  it.each(Object.keys(videoVendors))(
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

  it.each(['constructor', 'chat', ''])('refuses the kind %j, which no vendor has', (kind) => {
    expect(() => capabilitiesOf(kind)).toThrow(`there is no video vendor of the kind ${kind}`);
  });
});
