import path from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createTaskSessionFromClient,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';

const program = path.resolve(import.meta.dirname, '../../packages/cli/bin/gw.mjs');

/** The official client, in the version of the protocol that it is told to speak. */
export type Mode = NonNullable<VersionNegotiationOptions['mode']>;
export const latest = '2026-07-28';
export const modes: readonly Mode[] = ['legacy', { pin: latest }];

const clientInfo = { name: 'agent-under-test', version: '1.0.0' };
const openClient = (mode: Mode): Client => new Client(clientInfo, { versionNegotiation: { mode } });

export interface Agent {
  readonly client: Client;
  readonly pid: number | null;
  /** Calls a tool; what it says as structured content, and whether that is an error. */
  call(name: string, args?: object): Promise<{ isError: boolean; said: Record<string, unknown> }>;
  close(): Promise<void>;
}

const agentOf = (client: Client, pid: number | null): Agent => ({
  client,
  pid,
  async call(name, args = {}) {
    const result = await client.callTool({ name, arguments: { ...args } });
    return { isError: result.isError === true, said: structured(result) };
  },
  close: () => client.close(),
});

const structured = ({ structuredContent }: CallToolResult): Record<string, unknown> =>
  structuredContent as Record<string, unknown>;

/** An agent that has started `gw mcp`, as desktop clients do. */
export async function stdioAgent(
  home: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  args: readonly string[] = [],
  mode: Mode = 'legacy',
): Promise<Agent> {
  const client = openClient(mode);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd: home.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: home.folder, ...home.env },
    stderr: 'pipe',
  });
  await client.connect(transport);
  return agentOf(client, transport.pid);
}

/** JSON of this test's own realm, which is where the clients look for plain objects. */
async function fetchHere(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  const json = async (): Promise<unknown> => JSON.parse(await response.text());
  Object.defineProperty(response, 'json', { value: json });
  return response;
}

/** An agent elsewhere, with its key. */
export async function httpAgent(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  mode: Mode = 'legacy',
): Promise<Agent> {
  const client = openClient(mode);
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), {
      requestInit: { headers: { ...headers } },
      fetch: fetchHere,
    }),
  );
  return agentOf(client, null);
}

/** Tasks of the version that its client speaks; those of the extension go past the client. */
export function tasksOf(
  agent: Agent,
  remote?: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
): TaskEnabledSession {
  const endpointId = 'gateway-under-test';
  if (remote === undefined) return createTaskSessionFromClient(agent.client, { endpointId });
  let lastId = 0;
  return createTaskSessionFromClient(agent.client, {
    endpointId,
    v2RequestFraming: { protocolVersion: latest, clientInfo, clientCapabilities: {} },
    async rawDispatch(request) {
      const { method, params } = request as {
        readonly method: string;
        readonly params: { readonly name?: string; readonly taskId?: string };
      };
      const response = await fetch(new URL('/mcp', remote.baseUrl), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': latest,
          'mcp-method': method,
          'mcp-name': params.name ?? params.taskId ?? '',
          ...remote.headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params }),
      });
      return JSON.parse(await response.text()) as never;
    },
  });
}
