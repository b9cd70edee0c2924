import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { createSseParser, type SseEvent } from '@gateway/text-dialects';
import { chatStream, messagesStream, seed, splitAt } from './wire-samples.ts';

function parse(pieces: readonly (string | Uint8Array)[]): SseEvent[] {
  const parser = createSseParser();
  return [...pieces.flatMap((piece) => parser.push(Buffer.from(piece))), ...parser.end()];
}

const data = (...texts: string[]): SseEvent[] =>
  texts.map((text) => ({ event: undefined, data: text }));

describe('cutting a text/event-stream into events', () => {
  it.each<[string, string, SseEvent[]]>([
    ['data with a space after the colon', 'data: x\n\n', data('x')],
    ['data without a space', 'data:x\n\n', data('x')],
    ['only the first space taken off', 'data:  x\n\n', data(' x')],
    ['several data lines, joined by line breaks', 'data: a\ndata: b\n\n', data('a\nb')],
    ['the name of an event', 'event: ping\ndata: {}\n\n', [{ event: 'ping', data: '{}' }]],
    [
      'a name that counts for one event only',
      'event: ping\ndata: a\n\ndata: b\n\n',
      [{ event: 'ping', data: 'a' }, ...data('b')],
    ],
    [
      'comments, id and retry, which it ignores',
      ': OPENROUTER PROCESSING\n\nid: 4\nretry: 10\ndata: x\n\n',
      data('x'),
    ],
    [
      'CRLF line ends',
      'event: e\r\ndata: x\r\n\r\ndata: y\r\n\r\n',
      [{ event: 'e', data: 'x' }, ...data('y')],
    ],
    ['a byte order mark', '\uFEFFdata: x\n\n', data('x')],
    ['a last event without its blank line', 'data: x\n\ndata: y', data('x', 'y')],
    ['a last line without its line end', 'data: x\ndata: y\n', data('x\ny')],
    ['empty data, which it leaves out', 'data:\n\ndata: x\n\n', data('x')],
    ['nothing', '', []],
  ])('reads %s', (_name, text, events) => {
    expect(parse([text])).toEqual(events);
  });

  it.each([
    ['messages', messagesStream],
    ['chat', chatStream],
    ['CRLF', `\uFEFF${chatStream.replaceAll('\n', '\r\n')}`],
  ])('gives the same events for any split of the bytes: %s', (_name, stream) => {
    const bytes = Buffer.from(stream);
    const whole = parse([bytes]);

    expect(parse([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        expect(parse(splitAt(bytes, places))).toEqual(whole);
      }),
      { seed, numRuns: 200 },
    );
  });

  it('reads a last event that ends inside a character', () => {
    expect(parse([Buffer.from('data: caf\u00e9').subarray(0, -1)])).toEqual(data('caf\uFFFD'));
  });

  it('takes a picture of 12 MiB in one event, in small pieces, within two seconds', () => {
    const parser = createSseParser();
    const piece = Buffer.from('x'.repeat(4096));
    const start = performance.now();

    parser.push(Buffer.from('data: '));
    for (let sent = 0; sent < 12 * 1024 * 1024; sent += piece.length) parser.push(piece);
    const [event] = parser.push(Buffer.from('\n\n'));

    expect(event?.data).toHaveLength(12 * 1024 * 1024);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it.each([
    ['one line', 'x'],
    ['many lines', 'data: x\n'],
  ])('refuses an event past its limit: %s', (_name, piece) => {
    const parser = createSseParser({ maxEventBytes: 1_000 });
    const flood = (): void => {
      for (let count = 0; count < 2_000; count += 1) parser.push(Buffer.from(piece));
    };

    expect(flood).toThrow(GatewayError);
  });
});
