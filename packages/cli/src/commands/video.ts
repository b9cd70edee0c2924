import path from 'node:path';
import type { Video } from '@gateway/client';
import type { Command, Given } from '../command.ts';
import { openClient, stateFolder } from '../credentials.ts';
import { checkTarget } from '../download.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import {
  beginOrGoOn,
  buildRequest,
  save,
  showQuote,
  waitFor,
  type VideoRun,
} from '../make-video.ts';
import { readReferences } from '../references.ts';
import { StateFile } from '../state-file.ts';
import { StatusLine } from '../status-line.ts';
import { coloured, harmless, numberText, tell, writeJson, type Terminal } from '../terminal.ts';
import { videoOf, videoOptions } from '../video-request.ts';
import { billText, failureText } from '../video-words.ts';

export const video: Command = {
  name: 'video',
  summary: 'makes a video and puts it on disk',
  argument: { name: 'PROMPT', help: 'what the video shows', required: false },
  options: {
    ...videoOptions,
    output: { value: 'FILE', short: 'o', help: 'by default the id and .mp4', words: 'files' },
    quote: { help: 'only say what it costs' },
    'max-quota': { value: 'QUOTA', help: 'make it only if it costs at most this' },
    'no-wait': { help: 'only create it, and print its id' },
    new: { help: 'make another one, even if an earlier run was interrupted' },
  },
  examples: [
    'gw video "a red balloon over Lisbon" -o balloon.mp4',
    'gw video "the cat wakes up" --first-frame cat.png --duration 5',
    'gw video "a paper boat" --resolution 480p --quote',
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const { client, identity } = await openClient(terminal);
  const wanted = videoOf(given);
  const references = await readReferences(wanted.references, terminal.folder);
  const output = given.text('output');
  if (output === '') throw new UsageError('--output takes the name of a file.');
  const target = output === undefined ? undefined : path.resolve(terminal.folder, output);
  if (target !== undefined) await checkTarget(target);
  const state = new StateFile(stateFolder(terminal), {
    identity,
    wanted: { ...wanted, references },
    folder: terminal.folder,
    target,
  });
  const videoRun: VideoRun = {
    client,
    given: wanted,
    references,
    state,
    maxQuota: given.whole('max-quota'),
    line: new StatusLine(terminal.stderr),
    say: (text) => terminal.stderr.write(`${text}\n`),
    signal: terminal.signal,
    now: Date.now,
  };
  if (given.flag('quote')) return quoteOnly(videoRun, given, terminal);
  if (given.flag('new')) await state.remove();
  const id = await beginOrGoOn(videoRun);
  if (given.flag('no-wait')) return showCreated(videoRun, { id, given, terminal });
  return finish(videoRun, { id, target, given, terminal });
}

async function quoteOnly(videoRun: VideoRun, given: Given, terminal: Terminal): Promise<number> {
  const request = await buildRequest(videoRun);
  if (!given.json) {
    await showQuote({ ...videoRun, say: (text) => terminal.stdout.write(`${text}\n`) }, request);
    return exitCodes.done;
  }
  const quote = await videoRun.client.videos.quote(request, { signal: terminal.signal });
  writeJson(terminal, quote);
  return quote.affordable ? exitCodes.done : exitCodes.quota;
}

interface Ending {
  readonly id: string;
  readonly given: Given;
  readonly terminal: Terminal;
}

async function showCreated(
  { client, state, signal }: VideoRun,
  { id, given, terminal }: Ending,
): Promise<number> {
  if (given.json) writeJson(terminal, await client.videos.get(id, { signal }));
  else terminal.stdout.write(`${id}\n`);
  await state.remove();
  return exitCodes.done;
}

async function finish(
  videoRun: VideoRun,
  { id, target, ...ending }: Ending & { readonly target: string | undefined },
): Promise<number> {
  const { terminal } = ending;
  try {
    const made = await waitFor(videoRun, id);
    if (made.status !== 'succeeded') return await showFailure(videoRun, made, ending);
    const file = target ?? path.join(terminal.folder, `${id}.mp4`);
    const size = await save(videoRun, id, file);
    showMade(made, { ...ending, file: path.relative(terminal.folder, file), size });
    await videoRun.state.remove();
    return exitCodes.done;
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.stderr.write(
        `${id} goes on without you: the same command fetches it, and "gw videos cancel ${id}" ends it.\n`,
      );
    }
    throw error;
  }
}

type Shown = Pick<Ending, 'given' | 'terminal'>;

function showMade(
  made: Video,
  {
    given,
    terminal,
    file,
    size,
  }: Shown & {
    readonly file: string;
    readonly size: number;
  },
): void {
  const { stdout, env } = terminal;
  const done = coloured(file, 'green', { output: stdout, env });
  const what = `${numberText(size)} bytes, ${made.duration} s, ${made.resolution}`;
  tell(terminal, given, {
    found: { ...made, file },
    words: () => `${done}: ${what}\n${made.id}: ${billText(made)}\n`,
  });
}

async function showFailure(
  { state }: VideoRun,
  made: Video,
  { given, terminal }: Shown,
): Promise<number> {
  await state.remove();
  if (given.json) {
    writeJson(terminal, made);
  } else {
    const { stderr, env } = terminal;
    const failure = harmless(`${failureText(made)}\n${billText(made)}\n`);
    stderr.write(coloured(failure, 'red', { output: stderr, env }));
  }
  return exitCodes.unsuccessful;
}
