import { eventsOfCompletion } from '../completion-events.ts';
import type { Fields } from '../json.ts';
import type { Completion } from '../neutral.ts';
import { silently } from './events.ts';
import { GrowingResponse, type ResponseTranslation } from './response.ts';

/** A whole completion as a Response object: the one that its stream would end with. */
export function writeResponse(completion: Completion, translation: ResponseTranslation): Fields {
  const response = new GrowingResponse(translation, silently);
  eventsOfCompletion(completion).forEach((event) => {
    response.take(event);
  });
  return response.end();
}
