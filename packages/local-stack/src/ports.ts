import { connect, createServer, type Server } from 'node:net';
import { codeOf, LocalStackError } from './local-stack-error.ts';

/**
 * Distinct free loopback ports. They are held together until all are known, so that none comes
 * twice.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0, '127.0.0.1')));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

/** One free loopback port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no port was given');
  return port;
}

/** Throws `port_in_use` with the remedy when nothing can listen on this port. */
export async function assertPortFree(port: number, host = '127.0.0.1'): Promise<void> {
  try {
    await close(await listen(port, host));
  } catch (error) {
    const sentence = whyNot[codeOf(error) ?? ''];
    if (sentence === undefined) throw error;
    throw new LocalStackError('port_in_use', sentence(port, host), error);
  }
}

const whyNot: Partial<Record<string, (port: number, host: string) => string>> = {
  EADDRINUSE: (port) =>
    `Port ${port} is used by another program: set PORT=… to another port, or stop that program.`,
  EACCES: (port) =>
    `Port ${port} needs privileges that this user does not have: set PORT=… to a port above 1023.`,
  EADDRNOTAVAIL: (_port, host) =>
    `This machine has no address ${host} to listen on: leave HOST unset, or set it to one that exists.`,
};

const connectTimeoutMs = 5_000;
const defaultPorts: Partial<Record<string, number>> = {
  'redis:': 6_379,
  'rediss:': 6_379,
  'postgres:': 5_432,
  'postgresql:': 5_432,
};

/**
 * Throws `server_not_startable` with the remedy when nothing listens at the address that a setting
 * names.
 */
export async function assertReachable(setting: string, address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const port = Number(url?.port === '' ? defaultPorts[url.protocol] : url?.port);
  // A PostgreSQL address without a host means a socket file: connecting will tell.
  if (url?.hostname === '') return;
  if (url === undefined || Number.isNaN(port)) {
    throw new LocalStackError(
      'server_not_startable',
      `${setting} is not an address: correct it, or leave it unset for a local server.`,
    );
  }
  const reason = await whyNotConnecting(url.hostname.replace(/^\[|\]$/g, ''), port);
  if (reason !== undefined) {
    throw new LocalStackError(
      'server_not_startable',
      `Nothing responds at ${url.hostname}:${port} (${reason}): start the server that ${setting} names, or leave ${setting} unset for a local one.`,
    );
  }
}

function whyNotConnecting(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs });
    const settle = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket
      .once('connect', () => {
        settle();
      })
      .once('timeout', () => {
        settle('no response in time');
      })
      .once('error', (error) => {
        settle(codeOf(error) ?? error.message);
      });
  });
}

function listen(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen({ port, host, exclusive: true }, () => {
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
