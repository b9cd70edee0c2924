import type { TextModel } from '@gateway/contracts';
import type { RequestBody } from './request-body.ts';

/** What the client asks for, whichever route completes it. */
export interface CompletionRequest {
  readonly model: TextModel;
  readonly body: RequestBody;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
}
