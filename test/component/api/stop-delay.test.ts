import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createOpener } from './text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);

describe('an api with STOP_DELAY_MS', () => {
  it('takes requests on new connections while /readyz already says 503, and none afterwards', async () => {
    const { url } = await upstreamThat(() => undefined);
    const { stage } = await stageWith({
      yaml: `
providers: { one: { kind: messages, base_url: "${url}", api_key: "\${KEY}" } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }
`,
      settings: { STOP_DELAY_MS: 2_000 },
    });
    const ask = (address: string): Promise<number> =>
      fetch(address, { headers: { connection: 'close' } }).then(({ status }) => status);

    const stopped = stage.stopApi();
    await eventually(async () => {
      expect(await ask(`${stage.opsUrl}/readyz`)).toBe(503);
    });
    expect(await ask(`${stage.url}/livez`)).toBe(200);

    await stopped;
    await expect(ask(`${stage.url}/livez`)).rejects.toThrow();
  });
});
