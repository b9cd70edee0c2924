import { Agent, request, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { ready, within } from './deadline.ts';
import { codeOf, OutboundError } from './outbound-error.ts';

/** An HTTP proxy of the operator that opens connections by CONNECT. Made by `parseEgressProxy`. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

const brand = Symbol.for('gateway.EgressProxyError');

/** The operator's proxy is away or does not know us: our own fault, not the receiver's. */
class EgressProxyError extends Error {
  override readonly name = 'EgressProxyError';
  readonly [brand] = true;

  static is(value: unknown): value is EgressProxyError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** Rethrows the fault of the proxy that got wrapped into `thrown`, if there is one. */
export function throwFaultOfEgressProxy(thrown: unknown): void {
  for (
    let error = thrown, depth = 0;
    depth < 5 && typeof error === 'object' && error !== null;
    depth += 1
  ) {
    if (EgressProxyError.is(error)) throw error;
    error = (error as { cause?: unknown }).cause;
  }
}

/**
 * Reads `http://user:password@host:port`; an empty text means no proxy. Throws an Error that never
 * repeats the text, which holds a password.
 */
export function parseEgressProxy(text: string): EgressProxy | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWhole = url?.protocol === 'http:' && url.pathname === '/' && !/[?#]/.test(text);
  if (!isWhole || !isDecodable(url)) {
    throw new Error(
      'the egress proxy must be written as http://user:password@host:port, with % and other signs of the password percent-encoded',
    );
  }
  const { hostname, port, username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 80 : Number(port),
    authorization:
      credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

const isDecodable = ({ username, password }: URL): boolean =>
  !/%(?![0-7][0-9a-f])/i.test(username + password);

interface TunnelTarget {
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
}

interface TunnelLimits {
  readonly dial: (target: { readonly host: string; readonly port: number }) => Socket;
  /** For reaching the proxy, and again for the proxy to reach the target. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/**
 * A connection to the target through the proxy. Throws OutboundError for what the target or the
 * proxy's rules did, EgressProxyError for the proxy itself.
 */
export async function openTunnel(
  proxy: EgressProxy,
  target: TunnelTarget,
  limits: TunnelLimits,
): Promise<Socket> {
  const socket = await reach(proxy, limits);
  try {
    return await within(connect(socket, proxy, target), {
      timeoutMs: limits.connectMs,
      failure: 'timeout_connect',
      signal: limits.signal,
    });
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

async function reach(
  { host, port }: EgressProxy,
  { dial, connectMs, signal }: TunnelLimits,
): Promise<Socket> {
  return ready(dial({ host, port }), 'connect', {
    timeoutMs: connectMs,
    failure: 'timeout_connect',
    signal,
  }).catch((thrown: unknown) => {
    if (signal.aborted) throw thrown;
    throw new EgressProxyError(`the egress proxy cannot be reached (${codeOf(thrown)})`, {
      cause: thrown,
    });
  });
}

function connect(
  socket: Socket,
  { authorization }: EgressProxy,
  { hostname, port }: TunnelTarget,
): Promise<Socket> {
  const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
  // An agent of its own that knows one connection: without it Node would dial by itself.
  const agent = Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket });
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      agent,
      headers: {
        host: authority,
        ...(authorization !== undefined && { 'proxy-authorization': authorization }),
      },
    });
    asked.once('connect', (response, _socket, head) => {
      const failure = failureOf(response);
      if (failure !== undefined) reject(failure);
      // Neither TLS nor HTTP lets the server speak first.
      else if (head.length > 0) reject(new OutboundError('invalid_answer'));
      else resolve(socket);
    });
    asked.once('error', (error) => {
      reject(
        new EgressProxyError(`the egress proxy broke off (${codeOf(error)})`, { cause: error }),
      );
    });
    asked.end();
  });
}

const outcomes: Readonly<Partial<Record<number, 'blocked_address' | 'timeout_connect'>>> = {
  403: 'blocked_address',
  504: 'timeout_connect',
};

/**
 * What a response to CONNECT means. Smokescreen says 407 when its rules refuse a target; a 407 that
 * asks for credentials means us.
 */
function failureOf({ statusCode: status = 0, headers }: IncomingMessage): Error | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 407) {
    const asksForCredentials = headers['proxy-authenticate'] !== undefined;
    return asksForCredentials
      ? new EgressProxyError('the egress proxy refused our credentials (407)')
      : new OutboundError('blocked_address');
  }
  const failure = outcomes[status];
  return failure === undefined
    ? new OutboundError('network_error', { detail: `the connection could not be made (${status})` })
    : new OutboundError(failure);
}
