import type { Response } from 'express';
import type { HoldBatchLine, HoldResponse } from '@gateway/contracts';
import { errorCatalogue } from '@gateway/domain';
import { countUnexpected, failureOf, isUnexpected, logFailure, type Log } from '@gateway/runtime';

/**
 * Responds with a line for each hold as soon as it is decided, so that none waits for another; those
 * of one turn leave together. Each fails by itself.
 */
export function respondAsDecided(
  response: Response,
  holds: readonly Promise<HoldResponse>[],
  log: Log,
): void {
  let undecided = holds.length;
  let lines = '';
  const send = (): void => {
    if (response.destroyed) return;
    if (undecided === 0) response.end(lines);
    else response.write(lines);
    lines = '';
  };
  const say = (line: HoldBatchLine): void => {
    if (lines === '') setImmediate(send);
    lines += `${JSON.stringify(line)}\n`;
    undecided -= 1;
  };
  response.type('application/x-ndjson');
  for (const [index, hold] of holds.entries()) {
    hold.then(
      (decided) => {
        say({ index, ...decided });
      },
      (thrown: unknown) => {
        const failure = failureOf(thrown);
        const { code, message } = failure;
        if (isUnexpected(thrown)) countUnexpected('request');
        logFailure(log, failure, thrown);
        say({ index, error: { status: errorCatalogue[code].status, code, message } });
      },
    );
  }
}
