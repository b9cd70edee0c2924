import { type Fields, isFields, lookUp, parseJson } from '../json.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  SseEvent,
  StreamReader,
  TextEvent,
  UpstreamFailure,
} from '../neutral.ts';
import { cutShort, failureIn, unreadable } from '../upstream-failure.ts';
import { createTextTemplate, type TextTemplate } from '../text-template.ts';
import { readText } from '../values.ts';
import { mergedUsage, noUsage, usageOf } from '../wire/usage.ts';
import { createBlocks } from './read-stream-blocks.ts';
import { readFinish, readUsage } from './read-finish.ts';

interface Options {
  readonly memory: CompletionMemory;
  readonly identity: CompletionIdentity;
}

/**
 * Reads the stream of a messages upstream. An end without a reason for it is the failure
 * `truncated`; a reason without `message_stop` is enough. Events and deltas of unknown types are
 * passed over.
 */
export function createMessagesStreamReader({ memory, identity }: Options): StreamReader {
  const blocks = createBlocks(memory, identity);
  const template = createTextTemplate();
  let started = false;
  let over = false;
  let [usage, ending]: [Fields, Fields] = [noUsage, {}];

  const start = (message: Fields): TextEvent[] => {
    if (started) return [];
    started = true;
    usage = mergedUsage(usage, message['usage']);
    const first = usageOf('messages', usage);
    return [
      {
        type: 'start',
        id: readText(message['id']) ?? `msg_${identity.newSuffix()}`,
        ...(first !== null && { usage: first }),
      },
    ];
  };
  const fail = (failure: UpstreamFailure): TextEvent[] => {
    over = true;
    return [{ type: 'failure', failure }];
  };
  const finish = (): TextEvent[] => {
    over = true;
    const rest = blocks.end(
      !/^(max_tokens|model_context_window_exceeded)$/.test(String(ending['stop_reason'])),
    );
    const figures = readUsage(usage, memory, blocks.outputBytes());
    return [
      ...start({}),
      ...rest,
      { type: 'usage', usage: figures },
      { type: 'finish', finish: readFinish(ending, blocks.calls()) },
      { type: 'end' },
    ];
  };

  const handlers: Readonly<Record<string, (data: Fields) => TextEvent[]>> = {
    message_start: ({ message }) => start(isFields(message) ? message : {}),
    content_block_start: (data) => withStart(blocks.start(data)),
    content_block_delta: (data) => withStart(blocks.delta(data)),
    content_block_stop: (data) => withStart(blocks.stop(data)),
    message_delta({ delta, usage: reported }) {
      usage = mergedUsage(usage, reported);
      if (isFields(delta) && readText(delta['stop_reason']) !== undefined) ending = delta;
      return [];
    },
    message_stop: finish,
    ping: () => [],
  };
  const withStart = (events: TextEvent[]): TextEvent[] =>
    started || events.length === 0 ? events : [...start({}), ...events];

  const isTextOfBlock = ({ index }: Fields): boolean => started && blocks.isText(index);
  const read = ({ event, data }: SseEvent): TextEvent[] => {
    const fields = parseJson(data);
    if (!isFields(fields)) {
      return fail(
        event === 'error'
          ? unreadable(data.slice(0, 500))
          : unreadable('The upstream sent an event that cannot be read.'),
      );
    }
    learn(template, data, isTextOfBlock(fields) ? fields : {});
    const type = readText(fields['type']) ?? event ?? '';
    const handle = lookUp(handlers, type);
    if (handle !== undefined) return handle(fields);
    const failure =
      failureIn(fields) ?? (type === 'error' ? unreadable(data.slice(0, 500)) : undefined);
    return failure === undefined ? [] : fail(failure);
  };

  return {
    push(event) {
      if (over || event.data === '' || event.data === '[DONE]') return [];
      const known = template.match(event.data);
      return known === undefined ? read(event) : blocks.text(known);
    },
    end() {
      if (over) return [];
      return ending['stop_reason'] === undefined ? fail(cutShort) : finish();
    },
  };
}

/** Only a delta that is a text of the open block stands for those that follow. */
function learn(template: TextTemplate, data: string, { type, delta }: Fields): void {
  const text = type === 'content_block_delta' ? onlyText(delta) : undefined;
  if (text === undefined) template.forget();
  else template.learn(data, text);
}

const onlyText = (delta: unknown): string | undefined =>
  isFields(delta) && delta['type'] === 'text_delta' && Object.keys(delta).length === 2
    ? readText(delta['text'])
    : undefined;
