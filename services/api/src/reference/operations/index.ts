import type { Operation } from '../operation.ts';
import { accountOperations } from './account.ts';
import { adminOperations } from './admin.ts';
import { fileOperations } from './files.ts';
import { serviceOperations } from './service.ts';
import { storedResponseOperations } from './stored-responses.ts';
import { textOperations } from './text.ts';
import { videoOperations } from './videos.ts';

/** Every route there is; a test holds this list against what is served. */
export const operations: readonly Operation[] = [
  ...videoOperations,
  ...fileOperations,
  ...accountOperations,
  ...textOperations,
  ...storedResponseOperations,
  ...adminOperations,
  ...serviceOperations,
];
