import type { Operation } from '../operation.ts';
import { accountCallbackOperations } from './account-callbacks.ts';
import { accountOperations } from './account.ts';
import { adminCallbackOperations } from './admin-callbacks.ts';
import { adminOperations } from './admin.ts';
import { adminTaskOperations } from './admin-tasks.ts';
import { endpointOperations } from './endpoints.ts';
import { eventOperations } from './events.ts';
import { fileOperations } from './files.ts';
import { keyOperations } from './keys.ts';
import { mcpOperations } from './mcp.ts';
import { receiptOperations } from './receipts.ts';
import { serviceOperations } from './service.ts';
import { sessionOperations } from './sessions.ts';
import { storedResponseOperations } from './stored-responses.ts';
import { textOperations } from './text.ts';
import { videoOperations } from './videos.ts';

/** Every route there is; a test holds this list against what is served. */
export const operations: readonly Operation[] = [
  ...videoOperations,
  ...receiptOperations,
  ...eventOperations,
  ...fileOperations,
  ...accountOperations,
  ...accountCallbackOperations,
  ...endpointOperations,
  ...keyOperations,
  ...sessionOperations,
  ...textOperations,
  ...storedResponseOperations,
  ...mcpOperations,
  ...adminOperations,
  ...adminTaskOperations,
  ...adminCallbackOperations,
  ...serviceOperations,
];
