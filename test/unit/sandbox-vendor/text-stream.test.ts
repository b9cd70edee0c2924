import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { eventually } from '@gateway/testing';
import type { Response } from 'express';
import { sendStream, type StreamStep } from '../../../services/sandbox-vendor/src/text/stream.ts';

const asResponse = (stream: PassThrough): Response => stream as unknown as Response;

/** Steps of one token each, and how many of them were asked for. */
function steps(count: number): { asked: () => number; all: Generator<StreamStep> } {
  let asked = 0;
  return {
    asked: () => asked,
    all: (function* () {
      for (let index = 0; index < count; index += 1) {
        asked += 1;
        yield { wire: 'x'.repeat(10), tokens: 1 };
      }
    })(),
  };
}

describe('sending a stream of text', () => {
  it('makes no more than a slow client takes', async () => {
    const client = new PassThrough({ highWaterMark: 50 });
    const { asked, all } = steps(2_000);
    const sending = sendStream(asResponse(client), all, {
      tokensPerSecond: 0,
      signal: new AbortController().signal,
    });

    let received = 0;
    let furthestAhead = 0;
    for await (const chunk of client) {
      received += (chunk as Buffer).length / 10;
      furthestAhead = Math.max(furthestAhead, asked() - received);
    }
    await sending;

    expect(received).toBe(2_000);
    expect(furthestAhead).toBeLessThan(20);
  });

  it('makes nothing more once its client has gone, also while it waits for the client to read', async () => {
    for (const tokensPerSecond of [0, 50]) {
      const controller = new AbortController();
      const { asked, all } = steps(1_000_000);
      const sending = sendStream(asResponse(new PassThrough({ highWaterMark: 50 })), all, {
        tokensPerSecond,
        signal: controller.signal,
      });
      await eventually(() => {
        expect(asked()).toBeGreaterThan(2);
      });

      controller.abort();

      await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
      expect(asked()).toBeLessThan(20);
    }
  });
});
