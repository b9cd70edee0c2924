import type { Router } from 'express';
import type { PeerAddress } from '@gateway/runtime';
import { createAgentBudgets } from '@gateway/store';
import type { Bodies } from '../bodies/index.ts';
import type { Settings } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import { originsIn } from '../http/cors.ts';
import { mcpRoutes, type InnerCalls } from '../mcp/index.ts';
import type { Clients } from './clients.ts';

export interface McpParts {
  readonly settings: Readonly<Settings>;
  readonly clients: Clients;
  readonly authenticate: Authenticate;
  readonly bodies: Bodies;
  readonly peerOf: PeerAddress;
  readonly innerCalls: InnerCalls;
}

/** `/mcp`. */
export const buildMcp = ({ settings, clients, ...parts }: McpParts): Router =>
  mcpRoutes({
    ...parts,
    bodyTimeoutMs: settings.BODY_TIMEOUT_MS,
    slots: clients.limits.slots,
    mostPerKey: settings.EVENT_STREAMS_PER_KEY,
    origins: [new URL(settings.PUBLIC_BASE_URL).origin, ...originsIn(settings.CORS_ORIGINS)],
    budgets: createAgentBudgets(clients.database),
    log: clients.log,
  });
