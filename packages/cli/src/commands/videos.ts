import path from 'node:path';
import type { Video, VideoFilter } from '@gateway/client';
import { statusText } from '@gateway/mcp';
import { collect } from '../collect.ts';
import type { Argument, Command, Given } from '../command.ts';
import { openClient } from '../credentials.ts';
import { checkTarget, fetchWithBar } from '../download.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { StatusLine } from '../status-line.ts';
import { harmless, numberText, table, tell, type Terminal } from '../terminal.ts';
import { billText, failureText } from '../video-words.ts';

const id: Argument = { name: 'ID', help: 'id of a video, video_…', required: true };
const shownByDefault = 20;
const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const;

const list: Command = {
  name: 'videos list',
  summary: 'lists your videos, newest first',
  options: {
    limit: { value: 'NUMBER', short: 'n', help: `how many; ${shownByDefault} by default` },
    status: { value: 'STATUS', help: 'only these', words: statuses },
    model: { value: 'NAME', short: 'm', help: 'only of this model' },
  },
  examples: ['gw videos list --status running', 'gw videos list -n 100 --json'],
  async run(given, terminal) {
    const limit = given.whole('limit') ?? shownByDefault;
    if (limit < 1) throw new UsageError('--limit takes a number from 1 on.');
    const { client } = await openClient(terminal);
    const filter = given.only('status', 'model') as VideoFilter;
    const found = await collect(client.videos.list(filter, terminal), limit);
    tell(terminal, given, { found, words: () => harmless(table([header, ...found.map(rowOf)])) });
    return exitCodes.done;
  },
};

const header = ['ID', 'STATUS', 'MODEL', 'SECONDS', 'QUOTA', 'CREATED'] as const;

const rowOf = (video: Video): string[] => {
  const { portal_billing: billing } = video;
  return [
    video.id,
    video.status,
    video.model,
    String(video.duration),
    numberText('billed_quota' in billing ? billing.billed_quota : billing.max_billing_quota),
    video.created_at,
  ];
};

const get: Command = {
  name: 'videos get',
  summary: 'shows a video',
  argument: id,
  options: {},
  examples: ['gw videos get video_01m7z1vegze4b97z2xd0j0rnt8 --json'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    show(await client.videos.get(given.theArgument, terminal), given, terminal);
    return exitCodes.done;
  },
};

const cancel: Command = {
  name: 'videos cancel',
  summary: 'cancels a video while that is possible',
  argument: id,
  options: {},
  examples: ['gw videos cancel video_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    show(await client.videos.cancel(given.theArgument, terminal), given, terminal);
    return exitCodes.done;
  },
};

const remove: Command = {
  name: 'videos delete',
  summary: 'removes a finished video and its files',
  argument: id,
  options: {},
  examples: ['gw videos delete video_01m7z1vegze4b97z2xd0j0rnt8'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const deleted = await client.videos.delete(given.theArgument, terminal);
    tell(terminal, given, { found: deleted, words: () => `${deleted.id} is deleted.\n` });
    return exitCodes.done;
  },
};

const download: Command = {
  name: 'videos download',
  summary: 'fetches the file of a finished video, and goes on where an earlier run stopped',
  argument: id,
  options: {
    output: {
      value: 'FILE',
      short: 'o',
      help: 'by default the id and .mp4, .png or .jpg',
      words: 'files',
    },
    'last-frame': { help: 'its last frame, where that was kept' },
    poster: { help: 'its first frame as a small picture' },
  },
  examples: ['gw videos download video_01m7z1vegze4b97z2xd0j0rnt8 -o balloon.mp4'],
  async run(given, terminal) {
    const file = fileIn(given);
    const videoId = given.theArgument;
    const usual = `${videoId}${endings[file]}`;
    const target = path.resolve(terminal.folder, given.text('output') ?? usual);
    await checkTarget(target);
    const { client } = await openClient(terminal);
    const { signal, stderr, folder } = terminal;
    const wanted = { id: videoId, file, target, signal } as const;
    const bytes = await fetchWithBar(client, wanted, new StatusLine(stderr));
    const shown = path.relative(folder, target);
    tell(terminal, given, {
      found: { id: videoId, file: shown, bytes },
      words: () => `${shown}: ${numberText(bytes)} bytes\n`,
    });
    return exitCodes.done;
  },
};

const endings = { video: '.mp4', last_frame: '.png', poster: '.jpg' } as const;

function fileIn(given: Given): keyof typeof endings {
  const [wantsFrame, wantsPoster] = [given.flag('last-frame'), given.flag('poster')];
  if (wantsFrame && wantsPoster) {
    throw new UsageError('--last-frame and --poster are two files: ask for one of them.');
  }
  if (wantsFrame) return 'last_frame';
  return wantsPoster ? 'poster' : 'video';
}

const show = (video: Video, given: Given, terminal: Terminal): void => {
  tell(terminal, given, { found: video, words: () => harmless(wordsOf(video)) });
};

function wordsOf(video: Video): string {
  const news = 'error' in video ? failureText(video) : `${video.id}: ${statusText(video)}`;
  const what = `${video.model}, ${video.duration} s, ${video.ratio}, ${video.resolution}`;
  return `${news}\n${what}\n${billText(video)}\n`;
}

export const videosCommands: readonly Command[] = [list, get, cancel, remove, download];
