/** One event of a messages stream, as a client sees it. */
export interface StreamedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The events in the bytes of a stream; throws for anything that is not `event:` and `data:` with a
 * blank line behind.
 */
function eventsOf(bytes: string): readonly StreamedEvent[] {
  if (bytes === '') return [];
  if (!bytes.endsWith('\n\n')) throw new Error('the stream ends in the middle of an event');
  return bytes
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (\{.*\})$/.exec(block) ?? [];
      if (event === undefined || data === undefined) throw new Error(`not an event: ${block}`);
      const parsed = JSON.parse(data) as Record<string, unknown>;
      if (parsed['type'] !== event) {
        throw new Error(`event ${event} has data of type ${String(parsed['type'])}`);
      }
      return { event, data: parsed };
    });
}

export interface Block extends Record<string, unknown> {
  type: string;
}

/** What a client has after a whole stream. */
export interface ReadMessage {
  readonly start: Readonly<Record<string, unknown>>;
  readonly blocks: readonly Block[];
  readonly delta: Readonly<Record<string, unknown>> | undefined;
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  readonly error: Readonly<Record<string, unknown>> | undefined;
}

interface Reading {
  start: Record<string, unknown> | undefined;
  readonly blocks: Block[];
  open: number | undefined;
  delta: Record<string, unknown> | undefined;
  usage: Record<string, unknown> | undefined;
  error: Record<string, unknown> | undefined;
  over: boolean;
}

const deltaOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
};

function must(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Error(`messages grammar: ${rule}`);
}

const rules: Readonly<Record<string, (reading: Reading, data: Record<string, unknown>) => void>> = {
  ping: () => undefined,
  message_start(reading, { message }) {
    must(reading.start === undefined, 'message_start comes once');
    const start = message as Record<string, unknown>;
    must(
      Array.isArray(start['content']) && start['content'].length === 0,
      'message_start has empty content',
    );
    must(
      typeof (start['usage'] as Record<string, unknown>)['input_tokens'] === 'number',
      'message_start has usage.input_tokens',
    );
    reading.start = start;
  },
  content_block_start(reading, { index, content_block: block }) {
    must(reading.start !== undefined, 'blocks come after message_start');
    must(reading.delta === undefined, 'no block after message_delta');
    must(reading.open === undefined, 'one block is open at a time');
    must(
      index === reading.blocks.length,
      `indexes are contiguous: ${String(index)} after ${reading.blocks.length} blocks`,
    );
    reading.blocks.push(startedBlock(block as Block));
    reading.open = index;
  },
  content_block_delta(reading, { index, delta }) {
    must(index === reading.open, 'a delta belongs to the open block');
    const block = reading.blocks[index as number]!;
    const { type, ...piece } = delta as Block;
    must(deltaOf[block.type]!.includes(type), `${type} in a block of type ${block.type}`);
    must(
      !(block.type === 'thinking' && type === 'thinking_delta' && block['signature'] !== ''),
      'the signature ends the thoughts',
    );
    for (const [key, value] of Object.entries(piece)) {
      block[key] = `${block[key] as string}${value as string}`;
    }
  },
  content_block_stop(reading, { index }) {
    must(index === reading.open, 'the open block is stopped');
    const block = reading.blocks[index as number]!;
    must(
      block.type !== 'thinking' || block['signature'] !== '',
      'thoughts are closed by a signature',
    );
    reading.open = undefined;
  },
  message_delta(reading, { delta, usage }) {
    must(
      reading.start !== undefined && reading.open === undefined,
      'message_delta comes after the blocks',
    );
    must(
      typeof (usage as Record<string, unknown>)['output_tokens'] === 'number',
      'message_delta has usage.output_tokens',
    );
    [reading.delta, reading.usage] = [
      delta as Record<string, unknown>,
      usage as Record<string, unknown>,
    ];
  },
  message_stop(reading) {
    must(reading.delta !== undefined, 'message_stop comes after message_delta');
    reading.over = true;
  },
  error(reading, { error }) {
    must(reading.open === undefined, 'open blocks are closed before an error');
    [reading.error, reading.over] = [error as Record<string, unknown>, true];
  },
};

function startedBlock(block: Block): Block {
  if (block.type === 'text') must(block['text'] === '', 'a text block starts with an empty text');
  if (block.type === 'tool_use') {
    must(
      typeof block['id'] === 'string' && /^[a-zA-Z0-9_-]+$/.test(block['id']),
      'a tool has an id that clients take',
    );
    must(typeof block['name'] === 'string' && block['name'] !== '', 'a tool has a name');
    must(JSON.stringify(block['input']) === '{}', 'a tool starts with an empty object');
    return { ...block, partial_json: '' };
  }
  return { ...block };
}

/**
 * Reads a whole stream as the strictest client would: throws where the grammar of the messages
 * dialect is broken.
 */
export function readMessage(bytes: string): ReadMessage {
  const reading: Reading = {
    start: undefined,
    blocks: [],
    open: undefined,
    delta: undefined,
    usage: undefined,
    error: undefined,
    over: false,
  };
  for (const { event, data } of eventsOf(bytes)) {
    must(!reading.over, `nothing follows the end: ${event}`);
    const rule = rules[event];
    must(rule !== undefined, `known events only: ${event}`);
    rule(reading, data);
  }
  must(reading.over, 'a stream ends with message_stop or error');
  const { start = {}, blocks, delta, usage, error } = reading;
  return { start, blocks, delta, usage, error };
}
