/** @workers 3: it promises no times. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeError } from '@gateway/domain';
import { createLedger } from '@gateway/store';
import { mismatchesOf } from '../contracts/documented-responses.ts';
import { exchange } from './generator/exchange.ts';
import { openGeneratedStage, type GeneratedStage } from './generator/stage.ts';
import { wireRequests, type WireRequest } from './generator/wire-requests.ts';
import { hasPython, installPackages } from './python.ts';

/** For each of the document's operations. */
const examples = 40;
/** Beside those, which are slow to make. */
const wireExamples = 16_000;
const seed = 20_261_123;

let stage: GeneratedStage;
let program: string;
let folder: string;
beforeAll(async () => {
  if (!hasPython()) {
    throw new Error(
      'Generated requests need Python 3.11 or later with venv, as python3; install it, or leave this file out: npm run test:long -- --testPathIgnorePatterns generated-requests',
    );
  }
  const requirements = path.join(import.meta.dirname, 'generator/requirements.txt');
  program = path.join(await installPackages('schemathesis', requirements), 'schemathesis');
  stage = await openGeneratedStage();
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-generated-'));
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs schemathesis to its end; what it prints names each failure and how to repeat it. */
async function schemathesis(
  phases: string,
): Promise<{ readonly code: number | null; readonly output: string; readonly sent: number }> {
  const counter = path.join(folder, phases);
  await writeFile(counter, '');
  const child = spawn(
    program,
    [
      ...['run', `${stage.url}/openapi.json`, '--url', stage.url],
      ...['--phases', phases, '--workers', '1'],
      ...['--max-examples', String(examples), '--seed', String(seed), '--no-shrink'],
      '--continue-on-failure',
      ...['--generation-database', 'none', '--suppress-health-check', 'all', '--no-color'],
      ...['--checks', checks.join(','), '--request-timeout', '20', '--warnings', 'off'],
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        SCHEMATHESIS_HOOKS: path.join(import.meta.dirname, 'generator/hooks.py'),
        PYTHONDONTWRITEBYTECODE: '1',
        GATEWAY_KNOWN: JSON.stringify(stage.known),
        GATEWAY_SEED: String(seed),
        GATEWAY_COUNTER: counter,
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output, sent: (await stat(counter)).size };
}

/** What a request got that it must not get, in words. */
async function complaintAbout(request: WireRequest): Promise<string[]> {
  const response = await exchange(stage.url, request).catch(describeError);
  if (typeof response === 'string') return [response];
  if (response === undefined) {
    return request.isMisframed || request.method === 'CONNECT' ? [] : ['no response at all'];
  }
  const { status, headers, body } = response;
  seenStatuses.add(status);
  if (status >= 500) return [`${status}: ${body.toString().slice(0, 500)}`];
  if (!request.isDocumented) return [];
  const { method, path: asked } = request;
  return mismatchesOf({ method, path: asked, status, headers, body: () => body.toString() });
}

const seenStatuses = new Set<number>();

/** Sends them all, some at a time; names each request that got what it must not get, and what. */
async function sendAll(requests: readonly WireRequest[]): Promise<string[]> {
  const found: string[] = [];
  const waiting = requests.values();
  const sendInTurn = async (): Promise<void> => {
    for (const request of waiting) {
      const complaints = await complaintAbout(request);
      const sent = JSON.stringify(request.bytes.toString('latin1').slice(0, 1_500));
      found.push(...complaints.map((complaint) => `${complaint}\n${request.operation}: ${sent}`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendInTurn));
  return found;
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

describe('requests with bodies, headers and framings of every kind', () => {
  it('get documented responses only, and end no process', async () => {
    const { known } = stage;
    const requests = fc.sample(
      wireRequests({
        ids: [
          known.finishedId,
          known.assetId,
          known.spareAccountId,
          known.spareKeyId,
          'video_01h455vb4pex5vsknk084sn02q',
          'sandbox-video',
        ],
        weakKey: known.weakKey,
        filmId: known.finishedId,
        secrets: {
          bearer: known.apiKey,
          adminToken: known.adminToken,
          mediaToken: known.mediaToken,
        },
      }),
      { numRuns: wireExamples, seed },
    );
    const found = await sendAll(requests);

    expect(found.slice(0, 20)).toEqual([]);
    expect([...seenStatuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415]));
    expect(stage.api.exitCode).toBeNull();
    expect(await createLedger(stage.database).verify({ graceSeconds: 60 })).toEqual([]);
  }, 600_000);
});

describe('requests that schemathesis makes up from /openapi.json', () => {
  it('get documented responses only, and end no process', async () => {
    const runs = await Promise.all(['examples,coverage', 'fuzzing'].map(schemathesis));

    expect(wireExamples + runs.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(20_000);
    expect(runs.filter(({ code }) => code !== 0).map(({ output }) => output)).toEqual([]);
    expect(stage.api.exitCode).toBeNull();
    expect(await createLedger(stage.database).verify({ graceSeconds: 60 })).toEqual([]);
  }, 600_000);
});
