import type { TextModel } from '@gateway/contracts';
import type { RequestBody } from './request-body.ts';

/** One request to be answered, whichever route does. */
export interface AnswerTask {
  readonly model: TextModel;
  readonly body: RequestBody;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
}
