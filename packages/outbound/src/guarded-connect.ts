import { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { isPublicAddress, type AddressRange } from './address-rule.ts';
import { ready, within } from './deadline.ts';
import { openTunnel, type EgressProxy } from './egress-proxy.ts';
import { codeOf, fromCode, OutboundError } from './outbound-error.ts';
import type { Resolve } from './resolve-name.ts';

/** Opens a TCP connection to an address that was checked. `net.connect` outside tests. */
export type Dial = (target: { readonly host: string; readonly port: number }) => Socket;

export interface Guard {
  readonly allowCidrs: readonly AddressRange[];
  readonly resolve: Resolve;
  readonly dial: Dial;
  /**
   * PEM. Trusted instead of the usual roots: for a receiver under a private authority, and for
   * tests.
   */
  readonly certificateAuthority?: string;
  /** Makes the connections in our place; names are then resolved and judged there. */
  readonly egressProxy?: EgressProxy;
}

export interface ConnectLimits {
  readonly lookupMs: number;
  /** For all addresses of the name together. */
  readonly connectMs: number;
  readonly tlsMs: number;
  readonly signal: AbortSignal;
}

export interface Target {
  /** As in the URL: a name or an IP address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** More addresses than this are not tried: the time for connecting is shared out among them. */
const maxAddressesTried = 4;

/**
 * A connection to the target whose address was checked before dialling and again on the open
 * socket, so that what the name resolves to later does not matter. Throws OutboundError, or the
 * reason of an aborted signal.
 */
export async function connectGuarded(
  target: Target,
  guard: Guard,
  limits: ConnectLimits,
): Promise<Socket> {
  limits.signal.throwIfAborted();
  const socket =
    guard.egressProxy === undefined
      ? await connectDirectly(target, guard, limits)
      : await connectThrough(guard.egressProxy, { target, guard, limits });
  return target.secure ? secure(socket, { target, guard, limits }) : socket;
}

async function connectDirectly(
  target: Target,
  guard: Guard,
  limits: ConnectLimits,
): Promise<Socket> {
  const addresses = await checkedAddresses(target.hostname, guard, limits);
  const socket = await dialFirst(addresses.slice(0, maxAddressesTried), { target, guard, limits });
  refuseElsewhere(socket, guard);
  return socket;
}

/** A literal address is judged here too: the proxy is the second guard then, not the only one. */
async function connectThrough(
  proxy: EgressProxy,
  { target, guard, limits }: Attempt,
): Promise<Socket> {
  if (isIP(target.hostname) !== 0) refuseUnlessPublic([target.hostname], guard);
  return openTunnel(proxy, target, {
    dial: guard.dial,
    connectMs: limits.connectMs,
    signal: limits.signal,
  });
}

/**
 * Every address of the name. One bad address refuses the whole name: a mixed response is an attack or
 * a mistake.
 */
async function checkedAddresses(
  hostname: string,
  guard: Guard,
  limits: ConnectLimits,
): Promise<readonly string[]> {
  const addresses =
    isIP(hostname) === 0
      ? await resolveAll(hostname.replace(/\.$/, ''), guard, limits)
      : [hostname];
  refuseUnlessPublic(addresses, guard);
  return addresses;
}

async function resolveAll(
  name: string,
  guard: Guard,
  limits: ConnectLimits,
): Promise<readonly string[]> {
  const ask = async (): Promise<readonly string[]> => {
    try {
      return await guard.resolve(name);
    } catch (thrown) {
      throw fromCode(codeOf(thrown), thrown, 'dns_error');
    }
  };
  const addresses = await within(ask(), {
    timeoutMs: limits.lookupMs,
    failure: 'timeout_lookup',
    signal: limits.signal,
  });
  if (addresses.length === 0) {
    throw new OutboundError('dns_error', { detail: 'the name has no address' });
  }
  return addresses;
}

function refuseUnlessPublic(addresses: readonly string[], { allowCidrs }: Guard): void {
  const blockedAddress = addresses.find((address) => !isPublicAddress(address, allowCidrs));
  if (blockedAddress !== undefined) throw new OutboundError('blocked_address', { blockedAddress });
}

/** The open socket knows best where it ends. */
function refuseElsewhere(socket: Socket, guard: Guard): void {
  try {
    // closed again already
    if (socket.remoteAddress === undefined) throw new OutboundError('connection_reset');
    refuseUnlessPublic([socket.remoteAddress], guard);
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

interface Attempt {
  readonly target: Target;
  readonly guard: Guard;
  readonly limits: ConnectLimits;
}

/**
 * Tries the addresses in order; each gets its share of the time that is left, so that a dead first
 * one does not use it all.
 */
async function dialFirst(addresses: readonly string[], attempt: Attempt): Promise<Socket> {
  const endsAt = performance.now() + attempt.limits.connectMs;
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const shareMs = (endsAt - performance.now()) / (addresses.length - index);
    try {
      return await dialOne(address, shareMs, attempt);
    } catch (thrown) {
      if (attempt.limits.signal.aborted) throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

async function dialOne(
  address: string,
  timeoutMs: number,
  { target, guard, limits }: Attempt,
): Promise<Socket> {
  const socket = guard.dial({ host: address, port: target.port });
  return ready(socket, 'connect', {
    timeoutMs,
    failure: 'timeout_connect',
    signal: limits.signal,
  }).catch((thrown: unknown) => {
    throw OutboundError.is(thrown) || limits.signal.aborted
      ? thrown
      : fromCode(codeOf(thrown), thrown);
  });
}

/**
 * TLS over the checked connection. The name stays the name for SNI and for the certificate;
 * verification has no switch.
 */
function secure(socket: Socket, { target, guard, limits }: Attempt): Promise<Socket> {
  const name = target.hostname.replace(/\.$/, '');
  const secured = tls.connect({
    socket,
    host: name,
    servername: isIP(name) === 0 ? name : '', // SNI carries names only
    minVersion: 'TLSv1.2',
    // said aloud, or NODE_TLS_REJECT_UNAUTHORIZED=0 in some shell would be a switch after all
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(guard.certificateAuthority === undefined ? {} : { ca: guard.certificateAuthority }),
  });
  return ready(secured, 'secureConnect', {
    timeoutMs: limits.tlsMs,
    failure: 'timeout_tls',
    signal: limits.signal,
  }).catch((thrown: unknown) => {
    if (OutboundError.is(thrown) || limits.signal.aborted) throw thrown;
    throw new OutboundError('tls_error', {
      detail: `the TLS handshake failed (${codeOf(thrown)})`,
      cause: thrown,
    });
  });
}
