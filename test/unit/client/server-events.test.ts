import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventReader } from '../../../packages/client/src/sse.ts';

const stream =
  'id: 1\nevent: queued\ndata: {"a":\ndata: 1}\n\n: ping\n\ndata:x\r\n\r\nid: 3\rdata: y\r\r';
const events = [
  { id: '1', event: 'queued', data: '{"a":\n1}' },
  { id: '1', event: 'message', data: 'x' },
];

const readAll = (pieces: readonly string[]): unknown[] => {
  const read = eventReader();
  return pieces.flatMap((piece) => read(piece));
};

describe('a stream of server-sent events', () => {
  it('is the same however it was cut', () => {
    const whole = readAll([stream, '\n']);
    expect(whole).toEqual([...events, { id: '3', event: 'message', data: 'y' }]);

    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const pieces = at.slice(1).map((end, index) => stream.slice(at[index], end));
        expect(readAll([...pieces, '\n'])).toEqual(whole);
      }),
    );
  });

  it('keeps back an event that is not whole', () => {
    expect(readAll(['id: 1\nevent: queued\ndata: {"a"'])).toEqual([]);
  });
});
