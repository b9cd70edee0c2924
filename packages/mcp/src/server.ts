import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  McpServer,
  type CallToolResult,
  type Result,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { isEnded, refusalOf, type Json } from './gateway.ts';
import { refusedResult, resultOf } from './result.ts';
import { createTasks, extensionTask, olderTask, type Tasks } from './tasks.ts';
import { Arguments, type Connection, type Tool } from './tool.ts';
import { creatingTool, toolsFor } from './tools.ts';

/** Versions of the protocol: `legacy` until 2025-11-25, `modern` since 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** The extension by which clients of the modern protocol say that they understand tasks. */
const tasksExtension = 'io.modelcontextprotocol/tasks';

/** By which a result of 2025-11-25 says which task it is of. */
const relatedTask = 'io.modelcontextprotocol/related-task';

/** What speaks the protocol, below the library's registry of tools. */
type Speaker = McpServer['server'];

const instructions =
  'Makes videos. quote_video says what a video costs, create_video makes it and returns it once it is finished, or get_video with its id does. list_models says what there is to choose from. A video that was created is never lost: list_videos finds it.';

/** A server for one connection, or one request, of an agent. */
export function createServer(connection: Connection, era: Era, version: string): McpServer {
  const whole = new McpServer(
    { name: 'generation-gateway', title: 'Generation gateway', version },
    {
      instructions,
      capabilities: {
        tools: {},
        ...(era === 'legacy'
          ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
          : { extensions: { [tasksExtension]: {} } }),
      },
    },
  );
  const { server } = whole;
  const lifetime = new AbortController();
  server.onclose = () => {
    lifetime.abort(new Error('the connection has ended'));
  };
  const tasks = createTasks(connection, lifetime.signal);
  addTools(server, { connection, tasks, era });
  if (era === 'legacy') addOlderTasks(server, tasks);
  else addExtensionTasks(server, tasks);
  return whole;
}

interface Serving {
  readonly connection: Connection;
  readonly tasks: Tasks;
  readonly era: Era;
}

/** What a request may hold is judged by whoever reads it. */
const anything: StandardSchemaV1<Json, Json> = {
  '~standard': {
    version: 1,
    vendor: 'gateway',
    validate: (value: unknown) => ({ value: value as Json }),
  },
};

function addTools(server: Speaker, { connection, tasks, era }: Serving): void {
  const tools = toolsFor(connection.files !== undefined);
  const listed = tools.map(({ run: _run, ...tool }) => ({
    ...tool,
    ...(era === 'legacy' &&
      tool.name === creatingTool && { execution: { taskSupport: 'optional' } }),
  }));
  server.setRequestHandler('tools/list', { params: anything }, () => ({ tools: listed }));
  server.setRequestHandler('tools/call', { params: anything }, async (params, context) => {
    const tool = tools.find(({ name }) => name === params['name']);
    if (tool === undefined) throw invalid(`there is no tool ${JSON.stringify(params['name'])}`);
    const args = new Arguments((params['arguments'] ?? {}) as Json);
    if (era === 'legacy' && params['task'] !== undefined) {
      if (tool.name !== creatingTool) throw noTask(tool);
      return inProtocol(async () => {
        const state = await tasks.begin(args, context.mcpReq.signal);
        // Whoever checks results of this method wants to see the one of a tool, too.
        return { task: olderTask(state), content: [] };
      });
    }
    if (tool.name === creatingTool && era === 'modern' && understandsTasks(context)) {
      return begunOrRefused(tasks, args, context);
    }
    return called(tool, connection, { args, context });
  });
}

const noTask = ({ name }: Tool): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.MethodNotFound, `${name} cannot be called as a task`);

async function begunOrRefused(
  tasks: Tasks,
  args: Arguments,
  { mcpReq: { signal } }: ServerContext,
): Promise<Result> {
  try {
    const { result: _result, ...task } = extensionTask(await tasks.begin(args, signal));
    return { resultType: 'task', ...task };
  } catch (error) {
    return refusedResult(error);
  }
}

async function called(
  tool: Tool,
  connection: Connection,
  { args, context }: { readonly args: Arguments; readonly context: ServerContext },
): Promise<CallToolResult> {
  const { signal } = context.mcpReq;
  try {
    return resultOf(await tool.run(connection, { args, signal, progress: progressOf(context) }));
  } catch (error) {
    return refusedResult(error);
  }
}

/** Tells a client that has asked for it how far a call is. */
function progressOf({ mcpReq: { _meta: meta, notify } }: ServerContext): (message: string) => void {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    // A client that has gone hears nothing; what it asked for is on record.
    notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    }).catch(() => undefined);
  };
}

function understandsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities = (envelope as Json | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { extensions } = (capabilities ?? {}) as { readonly extensions?: Json };
  return extensions !== undefined && Object.hasOwn(extensions, tasksExtension);
}

/** Tasks as clients of 2025-11-25 know them. */
function addOlderTasks(server: Speaker, tasks: Tasks): void {
  server.setRequestHandler('tasks/get', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => olderTask(await tasks.get(taskIdOf(params), signal))),
  );
  server.setRequestHandler('tasks/result', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => {
      const taskId = taskIdOf(params);
      const { result } = await tasks.end(taskId, signal);
      if (result === undefined) {
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          'the task is not over yet: ask with tasks/get until it is, then again for its result',
        );
      }
      return { ...result, _meta: { [relatedTask]: { taskId } } };
    }),
  );
  server.setRequestHandler('tasks/cancel', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => olderTask(await tasks.cancel(taskIdOf(params), signal))),
  );
  server.setRequestHandler('tasks/list', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => {
      const { data, has_more: hasMore } = await tasks.list(cursorOf(params), signal);
      const nextCursor = hasMore ? data.at(-1)?.id : undefined;
      return {
        tasks: data.map(listedTask),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    }),
  );
}

const listedTask = (video: Parameters<typeof olderTask>[0]['video']): Json => {
  const isError = video.status !== 'succeeded';
  return olderTask({ video, result: isEnded(video) ? { content: [], isError } : undefined });
};

/** Tasks of the extension; none of ours ever needs input. */
function addExtensionTasks(server: Speaker, tasks: Tasks): void {
  server.setRequestHandler('tasks/get', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => extensionTask(await tasks.get(taskIdOf(params), signal))),
  );
  server.setRequestHandler('tasks/update', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => {
      await tasks.get(taskIdOf(params), signal);
      return {};
    }),
  );
  server.setRequestHandler('tasks/cancel', { params: anything }, (params, { mcpReq: { signal } }) =>
    inProtocol(async () => {
      await tasks.cancel(taskIdOf(params), signal);
      return {};
    }),
  );
}

function taskIdOf({ taskId }: Json): string {
  if (typeof taskId === 'string' && taskId !== '') return taskId;
  throw invalid('taskId must be the id of a task');
}

function cursorOf({ cursor }: Json): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor;
  throw invalid('cursor must be the one of the page before');
}

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** A refusal where no result of a tool is expected is an error of the protocol. */
async function inProtocol<Value extends Json>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const refusal = error instanceof ProtocolError ? undefined : refusalOf(error);
    if (refusal === undefined) throw error;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `${refusal.code}: ${refusal.message}`,
      refusal,
    );
  }
}
