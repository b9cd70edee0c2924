import type { TextModel } from '@gateway/contracts';
import type { Inspection, RequestBody } from '../../bodies/index.ts';

/** What the client asks for, whichever route completes it. */
export interface CompletionRequest extends Pick<Inspection, 'restricted' | 'media'> {
  readonly model: TextModel;
  readonly body: RequestBody;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
  /** What the request refers to was put into its body. */
  readonly isExpanded: boolean;
  /** The gateway keeps responses whose clients want that. */
  readonly keepsResponses: boolean;
}
