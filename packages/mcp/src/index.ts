/** The tools of agents, and the ways to serve them; the library behind is loaded when it is needed. */
import type { HttpOptions, ServeHttp } from './serve-http.ts';
import type { StdioConnection, StdioOptions } from './serve-stdio.ts';

export {
  budgetExceeded,
  createConnectionBudget,
  noBudget,
  tooOldKey,
  type Budget,
} from './budget.ts';
export {
  isEnded,
  madeNothing,
  ToolError,
  unlessGone,
  type Gateway,
  type Json,
  type Page,
  type Video,
} from './gateway.ts';
export type { Model, Refusal, Upload, VideoQuote } from './gateway.ts';
export type { Connection, LocalFiles } from './tool.ts';
export { statusText } from './wait.ts';
export type { ServeHttp } from './serve-http.ts';

/** Serves the client at the other end of this process's standard streams. */
export async function openStdio(options: StdioOptions): Promise<StdioConnection> {
  const { serveStdioConnection } = await import('./serve-stdio.ts');
  return serveStdioConnection(options);
}

/** Serves requests of HTTP. */
export async function openHttp(options: HttpOptions): Promise<ServeHttp> {
  const { serveHttpRequests } = await import('./serve-http.ts');
  return serveHttpRequests(options);
}
