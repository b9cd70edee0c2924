import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { connectGuarded, type ConnectLimits, type Guard } from './guarded-connect.ts';

export interface GuardedAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

interface GuardedAgentsOptions {
  readonly guard: Guard;
  readonly limits: ConnectLimits;
  /** Told the address that was really reached, for the operator's log. */
  readonly onConnected?: (remoteAddress: string) => void;
}

interface NativeOptions {
  readonly host?: string;
  readonly port?: number | string;
}

type Callback = (error: Error | null, socket?: Socket) => void;

/**
 * Agents for one request whose every connection passes the guard. Connections are not kept: a kept
 * one would carry a stranger's next request past the checks of its own URL.
 */
export function createGuardedAgents(options: GuardedAgentsOptions): GuardedAgents {
  const connectWith = (secure: boolean) => ({
    createConnection(native: NativeOptions, callback: Callback): undefined {
      const target = { hostname: native.host ?? '', port: Number(native.port), secure };
      connectGuarded(target, options.guard, options.limits).then(
        (socket) => {
          options.onConnected?.(socket.remoteAddress ?? '');
          callback(null, socket);
        },
        (thrown: unknown) => {
          callback(thrown as Error);
        },
      );
    },
  });
  return {
    http: Object.assign(new http.Agent({ keepAlive: false }), connectWith(false)),
    https: Object.assign(new https.Agent({ keepAlive: false }), connectWith(true)),
  };
}
