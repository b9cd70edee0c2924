import type { TextEvent } from '../neutral.ts';

/**
 * Tells tool calls one after another, also those whose fragments an upstream sends crosswise: the
 * first is told as it comes, the others wait.
 */
export interface ToolCallOrder {
  /**
   * `input` is the arguments' text where the upstream gave them at once; fragments, when they come,
   * replace it.
   */
  start(
    index: unknown,
    call: { readonly id: string; readonly name: string; readonly input: string },
  ): TextEvent[];
  arguments(index: unknown, text: string): TextEvent[];
  stop(index: unknown): TextEvent[];
  /** Ends the calls that the upstream left open. */
  flush(): TextEvent[];
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  /** Fragments not told yet. */
  waiting: string[];
  hasFragments: boolean;
  ended: boolean;
}

export function createToolCallOrder(): ToolCallOrder {
  const lane: Call[] = [];
  const open = new Map<unknown, Call>();

  const opening = ({ id, name }: Call): TextEvent => ({ type: 'tool_start', id, name });
  const fragments = (call: Call): TextEvent[] => {
    const texts = call.waiting;
    call.waiting = [];
    return texts.map((text) => ({ type: 'tool_arguments', text }));
  };
  const ending = (call: Call): TextEvent[] => [
    ...(call.hasFragments || call.input === ''
      ? []
      : [{ type: 'tool_arguments', text: call.input } as const]),
    { type: 'tool_end' },
  ];

  /** The first call has ended: it leaves, and the next ones tell what they have. */
  const advance = (): TextEvent[] => {
    const events: TextEvent[] = [];
    for (let first = lane[0]; first?.ended === true; first = lane[0]) {
      events.push(...ending(first));
      lane.shift();
      if (lane[0] !== undefined) events.push(opening(lane[0]), ...fragments(lane[0]));
    }
    return events;
  };

  return {
    start(index, given) {
      const call: Call = { ...given, waiting: [], hasFragments: false, ended: false };
      const before = open.get(index);
      // A number used again says that the call before it is over.
      if (before !== undefined) before.ended = true;
      open.set(index, call);
      lane.push(call);
      return lane[0] === call ? [opening(call)] : advance();
    },
    arguments(index, text) {
      const call = open.get(index);
      if (call === undefined || text === '') return [];
      call.hasFragments = true;
      if (lane[0] === call) return [{ type: 'tool_arguments', text }];
      call.waiting.push(text);
      return [];
    },
    stop(index) {
      const call = open.get(index);
      if (call === undefined) return [];
      open.delete(index);
      call.ended = true;
      return advance();
    },
    flush() {
      for (const call of lane) call.ended = true;
      open.clear();
      return advance();
    },
  };
}
