import { Arguments, type Call, type Connection } from '../../../packages/mcp/src/tool.ts';
import { noBudget } from '../../../packages/mcp/src/budget.ts';
import type { Gateway, Video } from '../../../packages/mcp/src/gateway.ts';
import { creatingTool, toolsFor } from '../../../packages/mcp/src/tools.ts';

/** A refusal as clients of the gateway throw it. */
export const refusal = (status: number, code: string): Error =>
  Object.assign(new Error(`it said ${code}`), { status, code });

export const aVideo = (overrides: Partial<Video> = {}): Video => ({
  id: 'video_1',
  status: 'queued',
  created_at: '2026-11-24T10:00:00.000Z',
  portal_billing: { max_billing_quota: 60 },
  ...overrides,
});

const notAsked = (): Promise<never> => Promise.reject(new Error('nobody asks this here'));

/** A gateway that quotes 60 and makes what it quoted, unless told otherwise. */
export const aGateway = (overrides: Partial<Gateway> = {}): Gateway => ({
  quote: () => Promise.resolve({ portal_billing: { max_billing_quota: 60 } }),
  create: () => Promise.resolve(aVideo()),
  get: () => Promise.resolve(aVideo()),
  cancel: () => Promise.resolve(aVideo({ status: 'cancelled' })),
  wait: () => Promise.resolve(aVideo({ status: 'succeeded' })),
  list: notAsked,
  models: notAsked,
  upload: notAsked,
  ...overrides,
});

export const aConnection = (overrides: Partial<Connection> = {}): Connection => ({
  gateway: aGateway(),
  budget: noBudget,
  newKey: () => 'made-up',
  ...overrides,
});

/** What `create_video` says, with or without files beside it. */
export function createVideo(connection: Connection, args: object = {}) {
  const tool = toolsFor(connection.files !== undefined).find(({ name }) => name === creatingTool)!;
  const call: Call = {
    args: new Arguments({ model: 'sandbox-video', prompt: 'a boat', ...args }),
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  return tool.run(connection, call);
}
