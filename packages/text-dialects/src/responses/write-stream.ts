import type { StreamWriter } from '../neutral.ts';
import { writeFailureEvent } from '../wire/write-failure.ts';
import { createWrittenEvents } from './events.ts';
import { GrowingResponse, type ResponseTranslation } from './response.ts';

/**
 * Writes a completion as the typed events of the responses format. A stream that fails ends with
 * `error` and `response.failed`, as at the vendor: some clients look at the one, some at the other.
 * After the end or a failure nothing more is written.
 */
export function createResponsesStreamWriter(translation: ResponseTranslation): StreamWriter {
  const events = createWrittenEvents();
  let response: GrowingResponse | undefined;
  let over = false;
  const begun = (): GrowingResponse => {
    if (response !== undefined) return response;
    response = new GrowingResponse(translation, events);
    response.begin();
    return response;
  };
  return {
    write(event) {
      if (over) return '';
      over = event.type === 'end' || event.type === 'failure';
      if (event.type !== 'failure') {
        begun().take(event);
        if (event.type === 'end') begun().end();
      } else if (response === undefined) {
        return writeFailureEvent({ dialect: 'responses', failure: event.failure });
      } else response.fail(event.failure);
      return events.take();
    },
  };
}
