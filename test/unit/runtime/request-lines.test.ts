import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createRequestLines } from '../../../packages/runtime/src/logging/request-lines.ts';

function aSink(): { write(text: string): void; readonly written: string[] } {
  const written: string[] = [];
  return {
    written,
    write: (text) => {
      written.push(text);
    },
  };
}

const linesOf = ({ written }: { written: readonly string[] }): unknown[] =>
  written
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('the access lines of a hot path', () => {
  it("have the shape of the log's own, whatever their fields hold", async () => {
    const sink = aSink();
    const { write } = createRequestLines({ service: 'api', level: 'info' }, sink);
    write({
      requestId: 'req_1',
      status: 200,
      complete: true,
      firstByteMs: null,
      absent: undefined,
      model: 'a "quoted"\n\\name',
      odd: Number.NaN,
    });

    await eventually(() => {
      expect(sink.written).not.toHaveLength(0);
    });
    expect(linesOf(sink)).toEqual([
      {
        level: 'info',
        message: 'request',
        requestId: 'req_1',
        status: 200,
        complete: true,
        firstByteMs: null,
        model: 'a "quoted"\n\\name',
        odd: null,
        service: 'api',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
  });

  it('wait for company, and leave together in their order', async () => {
    const sink = aSink();
    const { write } = createRequestLines({ service: 'api', level: 'debug' }, sink);
    for (let index = 0; index < 10; index += 1) write({ index });
    expect(sink.written).toHaveLength(0);

    await eventually(() => {
      expect(sink.written).toHaveLength(1);
    });
    expect(linesOf(sink)).toMatchObject(Array.from({ length: 10 }, (_, index) => ({ index })));
  });

  it('leave at once when they are many, and at a stop', async () => {
    const sink = aSink();
    const { write, part } = createRequestLines({ service: 'api', level: 'info' }, sink);
    for (let index = 0; index < 300; index += 1) write({ index });
    expect(linesOf(sink)).toHaveLength(256);

    await part.stop();
    expect(linesOf(sink)).toHaveLength(300);
  });

  it.each(['warn', 'error'])('are not written from level %s upwards', async (level) => {
    const sink = aSink();
    const { write, part } = createRequestLines({ service: 'api', level }, sink);
    write({});
    await part.stop();

    expect(sink.written).toEqual([]);
  });
});
