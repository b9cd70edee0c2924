import { createMcpHandler } from '@modelcontextprotocol/server';
import { createServer } from './server.ts';
import type { Connection } from './tool.ts';

export interface HttpOptions {
  readonly version: string;
  readonly onError: (error: Error) => void;
}

/** Serves one request whose body was read, for the caller that was found good. */
export type ServeHttp = (
  request: Request,
  given: { readonly body: unknown; readonly connection: Connection },
) => Promise<Response>;

/**
 * Serves requests, each for itself: there are no sessions, so any replica serves any request, and
 * a client that has gone leaves nothing behind.
 */
export function serveHttpRequests({ version, onError }: HttpOptions): ServeHttp {
  return (request, { body, connection }) => {
    const handler = createMcpHandler(({ era }) => createServer(connection, era, version), {
      onerror: onError,
      maxSubscriptions: 0,
    });
    return handler.fetch(request, { parsedBody: body });
  };
}
