import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { GatewayClient } from '@gateway/client';
import type { Command, Given } from '../command.ts';
import { openClient } from '../credentials.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { sha256Of, unreadable, writeWhole } from '../files.ts';
import {
  issuerIn,
  judgeReceipt,
  keysIn,
  originOf,
  type ReceiptKey,
  type Verdict,
} from '../receipt.ts';
import { keepKeys, keptKeys, readKeyFile } from '../receipt-keys.ts';
import { coloured, harmless, numberText, tell, writeJson, type Terminal } from '../terminal.ts';

const receipt: Command = {
  name: 'videos receipt',
  summary: 'fetches the signed receipt of a finished video, and keeps the keys to check it',
  argument: { name: 'ID', help: 'id of a video, video_…', required: true },
  options: {
    output: { value: 'FILE', short: 'o', help: 'by default it is printed', words: 'files' },
  },
  examples: ['gw videos receipt video_01m7z1vegze4b97z2xd0j0rnt8 -o receipt.json'],
  async run(given, terminal) {
    const { client, baseUrl } = await openClient(terminal);
    const found = await client.videos.receipt(given.theArgument, terminal);
    const issuer = issuerIn(JSON.stringify(found));
    if (issuer !== undefined && issuer === originOf(baseUrl)) {
      await keepKeysOf(client, issuer, terminal);
    } else {
      terminal.stderr.write(foreignKeys(issuer, baseUrl));
    }
    const output = given.text('output');
    if (output === undefined) {
      writeJson(terminal, found);
      return exitCodes.done;
    }
    const file = path.resolve(terminal.folder, output);
    await writeWhole(file, `${JSON.stringify(found, undefined, 2)}\n`);
    tell(terminal, given, { found, words: () => `${output}\n` });
    return exitCodes.done;
  },
};

async function keepKeysOf(
  client: GatewayClient,
  origin: string,
  terminal: Terminal,
): Promise<void> {
  const published = JSON.stringify(await client.videos.receiptKeys(terminal));
  await keepKeys(terminal, { origin, found: keysIn(published) ?? [] });
}

/** Whoever answers at one address says nothing about the keys of another. */
const foreignKeys = (issuer: string | undefined, baseUrl: string): string =>
  harmless(
    `This receipt is of ${issuer ?? 'nobody that can be read'}, and came from ${baseUrl}: no keys are kept. Ask the issuer itself for them, at /.well-known/gateway-receipt-keys.json, and name their file with "gw verify --keys".\n`,
  );

const verify: Command = {
  name: 'verify',
  summary: 'says whether a file is the one that a receipt is of; needs no connection',
  argument: {
    name: 'FILE',
    help: 'the video, or its last frame',
    required: true,
    words: 'files',
  },
  second: { name: 'RECEIPT', help: 'as "gw videos receipt" has written it', required: true },
  options: {
    keys: {
      value: 'FILE',
      help: 'public keys of the gateway; by default those that "gw videos receipt" has kept',
      words: 'files',
    },
  },
  examples: ['gw verify balloon.mp4 receipt.json'],
  run: runVerify,
};

async function runVerify(given: Given, terminal: Terminal): Promise<number> {
  const inFolder = (name: string): string => path.resolve(terminal.folder, name);
  const text = await readFile(inFolder(given.theSecond), 'utf8').catch((error: unknown) => {
    throw unreadable(given.theSecond, error);
  });
  const sha256 = await sha256Of(inFolder(given.theArgument));
  const verdict = judgeReceipt(text, { sha256, keys: await keysFor(text, given, terminal) });
  tell(terminal, given, { found: verdict, words: () => `${wordsOf(verdict, terminal)}\n` });
  return verdict.valid ? exitCodes.done : exitCodes.failed;
}

async function keysFor(
  text: string,
  given: Given,
  terminal: Terminal,
): Promise<readonly ReceiptKey[]> {
  const named = given.text('keys');
  if (named !== undefined) return readKeyFile(path.resolve(terminal.folder, named));
  const issuer = issuerIn(text);
  const keys = issuer === undefined ? [] : await keptKeys(terminal, issuer);
  if (issuer !== undefined && keys.length === 0) {
    throw new CommandError(
      `No keys of ${issuer} are known here: fetch a receipt with "gw videos receipt", or name a file with --keys.`,
    );
  }
  return keys;
}

function wordsOf(verdict: Verdict, { stdout: output, env }: Terminal): string {
  if (!verdict.valid) {
    return `${coloured('no', 'red', { output, env })}: ${harmless(verdict.reason)}`;
  }
  const { issuer, video, model, duration, resolution, completed_at, billed_quota } =
    verdict.statement;
  const what = `${video}, ${duration} s ${resolution} by ${model}, finished ${completed_at}`;
  const cost = `${numberText(billed_quota)} quota`;
  const stated = harmless(`${what}, for ${cost}, says ${issuer}`);
  return `${coloured('yes', 'green', { output, env })}: ${stated}`;
}

export const receiptCommands: readonly Command[] = [receipt, verify];
