import type { Log } from '@gateway/runtime';

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that keeps its lines, for tests that assert on what was said. */
export function recordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const say =
    (level: keyof Log) =>
    (message: string, fields: object = {}) => {
      lines.push({ level, message, fields: fields as Record<string, unknown> });
    };
  return { lines, error: say('error'), warn: say('warn'), info: say('info'), debug: say('debug') };
}
