import { connectionErrorOf } from './errors.ts';

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Reads text as it arrives and returns the events that have become whole. */
export function eventReader(): (text: string) => ServerEvent[] {
  let rest = '';
  let id: string | undefined;
  let event = '';
  let data: string[] = [];
  const readLine = (line: string): ServerEvent | undefined => {
    if (line === '') {
      const whole = { id, event: event === '' ? 'message' : event, data: data.join('\n') };
      const isEmpty = data.length === 0;
      event = '';
      data = [];
      return isEmpty ? undefined : whole;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    return undefined;
  };
  return (text) => {
    // A line break may be cut in two by the end of a chunk: a lone CR at the end waits for more.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    return lines.map(readLine).filter((whole) => whole !== undefined);
  };
}

/** Every event of a body; breaks off with an error after `silenceMs` without a byte. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const read = eventReader();
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body, silenceMs)) {
    yield* read(decoder.decode(chunk, { stream: true }));
  }
}

/**
 * The chunks of a body, as not every runtime iterates over it; closes it when left early. A body that breaks
 * off, or says nothing for too long, is a `ConnectionError`.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read()).catch((error: unknown) => {
        throw connectionErrorOf(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`nothing has arrived for ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
