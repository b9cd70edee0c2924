import type { Command } from '../command.ts';
import { accountCommands } from './account.ts';
import { callbacksCommands } from './callbacks.ts';
import { chat } from './chat.ts';
import { completion } from './completion.ts';
import { endpointCommands } from './endpoints.ts';
import { loginCommands } from './login.ts';
import { mcp } from './mcp.ts';
import { receiptCommands } from './receipts.ts';
import { video } from './video.ts';
import { videosCommands } from './videos.ts';

/** Everything that `gw` does, in the order in which it is listed. */
export const commands: readonly Command[] = [
  ...loginCommands,
  video,
  ...videosCommands,
  ...receiptCommands,
  chat,
  ...accountCommands,
  ...callbacksCommands,
  ...endpointCommands,
  mcp,
  completion,
];
