import type { Fields } from '../json.ts';

/** Where the events of a response go: into a stream, or nowhere when it is sent whole. */
export interface Events {
  tell(type: string, fields: Fields): void;
  /** `place`: the fields that say where, as JSON without the braces. */
  delta(type: string, place: string, text: string): void;
}

export const silently: Events = { tell: () => undefined, delta: () => undefined };

export interface WrittenEvents extends Events {
  /** What was told since the last call. */
  take(): string;
}

/** The events as the text of a stream, numbered from 0 without a gap. */
export function createWrittenEvents(): WrittenEvents {
  let sequence = 0;
  let out = '';
  return {
    tell(type, fields) {
      const data = JSON.stringify({ type, sequence_number: sequence++, ...fields });
      out += `event: ${type}\ndata: ${data}\n\n`;
    },
    delta(type, place, text) {
      out += `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${place},"delta":${JSON.stringify(text)}}\n\n`;
    },
    take() {
      const taken = out;
      out = '';
      return taken;
    },
  };
}
