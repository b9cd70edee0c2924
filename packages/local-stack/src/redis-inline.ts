import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers';

const responseTimeoutMs = 2_000;

/**
 * Sends commands to a local Redis as one inline request and gives the reply lines, or undefined
 * when nobody responds in time. For the two questions asked here a client library would be a
 * connection with its own idea of retrying.
 */
export function askRedis(
  port: number,
  password: string,
  command: 'PING' | 'SHUTDOWN',
): Promise<readonly string[] | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const timer = after(() => socket.destroy(), responseTimeoutMs);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.split('\r\n').length > 2) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text === '' ? undefined : text.trim().split('\r\n'));
    });
    socket.write(`AUTH ${password}\r\n${command}\r\n`);
  });
}

/** Undefined when a Redis with this password is ready on this port, else why not. */
export async function whyNotPonging(port: number, password: string): Promise<string | undefined> {
  const reply = await askRedis(port, password, 'PING');
  if (reply === undefined) return `nothing responds on port ${port}`;
  return reply[0] === '+OK' && reply[1] === '+PONG' ? undefined : reply.join(' ');
}
