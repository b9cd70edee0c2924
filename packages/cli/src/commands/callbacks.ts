import { once } from 'node:events';
import { ApiError, type CallbackTest, type Video } from '@gateway/client';
import { openListener, type Received } from '../callback-listener.ts';
import { collect } from '../collect.ts';
import type { Argument, Command, Given } from '../command.ts';
import { openClient } from '../credentials.ts';
import { CommandError, exitCodes, UsageError } from '../exit-codes.ts';
import { coloured, harmless, table, tell, type Terminal } from '../terminal.ts';
import { billText, failureText } from '../video-words.ts';

const usualPort = 4100;
const id: Argument = { name: 'ID', help: 'id of a video, video_…', required: true };

const listen: Command = {
  name: 'callbacks listen',
  summary: 'receives pushes on this machine, checks and shows them; Ctrl-C ends it',
  options: {
    port: { value: 'PORT', help: `${usualPort} by default; 0: any that is free` },
    forward: { value: 'URL', help: 'send genuine pushes on to your own server' },
    secret: { value: 'whsec_…', help: 'by default GW_CALLBACK_SECRET, or as the gateway says' },
  },
  examples: ['gw callbacks listen', 'gw callbacks listen --forward http://localhost:8080/hook'],
  run: runListener,
};

async function runListener(given: Given, terminal: Terminal): Promise<number> {
  const { stdout, stderr, signal, env } = terminal;
  const port = given.whole('port') ?? usualPort;
  if (port < 0 || port > 65_535) throw new UsageError('--port takes a number up to 65535.');
  const forwardTo = given.text('forward');
  if (forwardTo !== undefined && !/^https?:\/\//.test(forwardTo)) {
    throw new UsageError('--forward takes an address such as http://localhost:8080/hook.');
  }
  const secret = given.text('secret') ?? env['GW_CALLBACK_SECRET'] ?? (await askSecret(terminal));
  const listener = await openListener({
    port,
    secret,
    forwardTo,
    onReceived: (received) => {
      if (given.json) stdout.write(`${JSON.stringify(received)}\n`);
      else stdout.write(lineOf(received, terminal));
    },
    onTrouble: (why) => stderr.write(`${why}\n`),
  }).catch((error: unknown) => {
    if (isTaken(error)) {
      throw new CommandError(`Port ${port} is taken: name another with --port.`);
    }
    throw error;
  });
  stderr.write(`Listening: create videos with --callback-url ${listener.url}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await listener.close();
  return exitCodes.done;
}

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

async function askSecret(terminal: Terminal): Promise<string> {
  const { client } = await openClient(terminal);
  try {
    const { secret } = await client.callbacks.secret(terminal);
    if (secret !== null) return secret;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
  }
  throw new CommandError(
    'Your key may not read the callback secret: give it with --secret or GW_CALLBACK_SECRET.',
    exitCodes.key,
  );
}

/** A push on one line, with the time of this machine. */
function lineOf(received: Received, { stdout, env }: Terminal): string {
  const time = new Date().toLocaleTimeString('en-GB');
  if (received.kind === 'refused') {
    const refusal = harmless(`refused: ${received.why}`);
    return `${time}  ${coloured(refusal, 'red', { output: stdout, env })}\n`;
  }
  const { message, sequence } = received;
  if (message.type !== undefined) {
    return `${time}  ${message.type === 'callback.test' ? 'test event' : 'challenge, answered'}\n`;
  }
  return harmless(`${time}  ${message.id}  ${sequence}  ${newsOf(message)}\n`);
}

const newsOf = (video: Video): string => {
  if ('error' in video) return failureText(video);
  return video.status === 'succeeded' ? `${video.status}, ${billText(video)}` : video.status;
};

const log: Command = {
  name: 'callbacks log',
  summary: 'shows the attempts to push the statuses of a video',
  argument: id,
  options: {},
  examples: ['gw callbacks log video_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const attempts = await collect(client.callbacks.list(given.theArgument, terminal));
    const header = ['TIME', 'EVENT', 'STATUS', 'ATTEMPT', 'OUTCOME', 'HTTP'];
    const rows = attempts.map((each) => [
      each.started_at,
      each.event,
      each.status ?? '',
      String(each.attempt),
      each.outcome,
      String(each.http_status ?? ''),
    ]);
    tell(terminal, given, { found: attempts, words: () => harmless(table([header, ...rows])) });
    return exitCodes.done;
  },
};

const redeliver: Command = {
  name: 'callbacks redeliver',
  summary: 'pushes the newest status of a video once more',
  argument: id,
  options: {},
  examples: ['gw callbacks redeliver video_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const redelivery = await client.callbacks.redeliver(given.theArgument, terminal);
    tell(terminal, given, {
      found: redelivery,
      words: () => `${redelivery.id} is pushed again: "gw callbacks log" shows it.\n`,
    });
    return exitCodes.done;
  },
};

const test: Command = {
  name: 'callbacks test',
  summary: 'sends a signed test event to an address and says what came back',
  argument: { name: 'URL', help: 'where pushes are to go', required: true },
  options: {},
  examples: ['gw callbacks test https://receiver.example/hook'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.callbacks.test(given.theArgument, terminal);
    tell(terminal, given, {
      found,
      words: () => testText(found),
    });
    return found.delivered ? exitCodes.done : exitCodes.unsuccessful;
  },
};

/** What came of a test. */
export const testText = (tested: CallbackTest): string =>
  [
    sentText('challenge', tested.challenge),
    ...(tested.event === null ? [] : [sentText('event', tested.event)]),
    tested.delivered ? 'The address is ready for pushes.\n' : 'The address is not ready.\n',
  ].join('');

const sentText = (name: string, sent: CallbackTest['challenge']): string =>
  harmless(
    `${name.padEnd(10)} ${sent.outcome}, ${sent.http_status === null ? 'no response' : `HTTP ${sent.http_status}`}, ${sent.duration_ms} ms${sent.detail === null ? '' : `: ${sent.detail}`}\n`,
  );

export const callbacksCommands: readonly Command[] = [listen, log, redeliver, test];
