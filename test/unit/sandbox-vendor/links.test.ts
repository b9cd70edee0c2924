import { describe, expect, it } from '@jest/globals';
import { createLinks } from '../../../services/sandbox-vendor/src/files/links.ts';

function someLinks({ maxLinks = 100 } = {}) {
  const clock = { ms: 0 };
  const links = createLinks({
    ttlSeconds: 60,
    maxLinks,
    baseUrl: () => 'http://vendor.test',
    now: () => clock.ms,
  });
  const publish = (): ReturnType<typeof links.publish> =>
    links.publish({
      spec: {
        prompt: '',
        seconds: 1,
        ratio: '1:1',
        resolution: '480p',
        watermark: false,
        quality: 'fast',
      },
      directives: {},
      lastFrame: true,
    });
  return { clock, links, publish };
}

describe('links to files', () => {
  it('work until their time is over, and no longer', () => {
    const { clock, links, publish } = someLinks();
    const { file } = publish();

    clock.ms = 59_999;
    expect(links.find(file.token)).toBe(file);
    clock.ms = 60_000;
    expect(links.find(file.token)).toBeUndefined();
  });

  it('cannot be guessed, and name both files', () => {
    const { publish } = someLinks();
    const [one, two] = [publish(), publish()];

    expect(one.file.token).toMatch(/^[\w-]{32}$/);
    expect(one.file.token).not.toBe(two.file.token);
    expect([one.videoUrl, one.lastFrameUrl]).toEqual([
      `http://vendor.test/files/${one.file.token}/video.mp4`,
      `http://vendor.test/files/${one.file.token}/last_frame.jpeg`,
    ]);
  });

  it('are no more than fit: the oldest go first', () => {
    const { links, publish } = someLinks({ maxLinks: 2 });
    const tokens = [publish(), publish(), publish()].map(({ file }) => file.token);

    expect(tokens.map((token) => links.find(token) !== undefined)).toEqual([false, true, true]);
  });
});
