import { randomBytes, randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { readDirectives } from '../directive-syntax.ts';
import { createAjv } from '../http/ajv.ts';
import { ratios, type Ratio } from '../render/video-spec.ts';
import type { Admit } from '../tasks/admission.ts';
import { parseDirectives, type DirectiveName, type Directives } from '../tasks/directives.ts';
import { readInputs, type MediaItem } from '../tasks/inputs.ts';
import type { Resolution } from '../tasks/parameters.ts';
import type { Task } from '../tasks/task.ts';
import { refuseBy, type RefusalName, type Refuse } from './refusal.ts';
import type { AskedMedia, AskedTask, CreateCall, VendorTable } from './table.ts';

/** The directives that refuse a creation. */
const refusing: Readonly<Partial<Record<DirectiveName, RefusalName>>> = {
  reject: 'invalid',
  'moderate-input': 'moderated',
  'rate-limited': 'rateLimited',
  busy: 'busy',
  overdue: 'overdue',
};

/** How long a vendor works on a task before it gives up, unless its format says so. */
const usualLifeSeconds = 172_800;

export interface CreateOptions {
  readonly admit: Admit;
  readonly now: () => number;
}

/** Turns the body of a creation into a queued task, or throws the vendor's refusal. */
export function createTaskOf<Body>(
  { format, models, create, refusals, quirks = {} }: VendorTable<Body>,
  { admit, now }: CreateOptions,
): (body: unknown, request: Request) => Task {
  const refuse = refuseBy(refusals);
  const readBody = bodyReader(create.schema, refuse);
  const { newId = () => randomUUID(), hasModel = (model) => models.includes(model) } = create;
  return (received, request) => {
    const asked = create.asked(readBody(received) as Body, callOf(request, refuse));
    if (!hasModel(asked.model)) throw refuse('noModel');
    admit(asked.model);
    const own = readDirectives(quirks, asked.prompt);
    if (own.problem !== undefined) throw refuse('invalid', own.problem);
    const inputs = readInputs((asked.media ?? []).map(mediaItem), (message) =>
      refuse('invalid', message),
    );
    const createdAtMs = now();
    return {
      id: newId(randomBytes(12).toString('hex')),
      format,
      model: asked.model,
      requestedModel: asked.model,
      prompt: asked.prompt,
      directives: slowedDown(obeyed(asked.prompt, refuse), asked.slowSeconds),
      parameters: parametersOf(asked, own.directives),
      ...(inputs.length > 0 && { inputs }),
      createdAtMs,
      updatedAtMs: createdAtMs,
      status: 'queued',
    };
  };
}

const callOf = (request: Request, refuse: Refuse): CreateCall => ({
  path: request.path,
  params: request.params as Readonly<Record<string, string>>,
  header: (name) => request.get(name),
  baseUrl: `${request.protocol}://${request.get('host') ?? ''}${request.baseUrl}`,
  refuse,
});

const mediaItem = ({ kind, role, url }: AskedMedia): MediaItem =>
  ({
    type: `${kind}_url`,
    [`${kind}_url`]: { url },
    ...(role !== undefined && { role }),
  }) as unknown as MediaItem;

const slowedDown = (directives: Directives, seconds: number | undefined): Directives =>
  seconds === undefined ? directives : { ...directives, slow: (directives.slow ?? 0) + seconds };

/** The schema is compiled by the first creation: compiling is most of what a start costs. */
function bodyReader(schema: object, refuse: Refuse): (body: unknown) => unknown {
  let validate: ReturnType<ReturnType<typeof createAjv>['compile']> | undefined;
  return (body) => {
    validate ??= createAjv({ strict: false }).compile(schema);
    if (validate(body)) return body;
    const [first] = validate.errors ?? [];
    throw refuse('invalid', `${first?.instancePath ?? ''} ${first?.message ?? ''}`.trim());
  };
}

/** The directives of a prompt, unless one of them refuses the creation. */
function obeyed(prompt: string, refuse: Refuse): Directives {
  const { directives, problem } = parseDirectives(prompt);
  if (problem !== undefined) throw refuse('invalid', problem);
  const refusal = Object.entries(refusing).find(
    ([name]) => directives[name as DirectiveName] !== undefined,
  )?.[1];
  if (refusal !== undefined) throw refuse(refusal);
  return directives;
}

function parametersOf(
  { seconds, resolution, ratio, seed = -1, watermark = false, ...rest }: AskedTask,
  quirks: object,
): Task['parameters'] {
  return {
    resolution: nearest(resolution),
    drawnResolution: resolution,
    ratio: drawnRatio(ratio),
    seconds,
    seed,
    watermark,
    returnLastFrame: false,
    serviceTier: 'default',
    expiresAfterSeconds: rest.expiresAfterSeconds ?? usualLifeSeconds,
    priority: 0,
    echo: { ...rest.echo, ...(Object.keys(quirks).length > 0 && { quirks }) },
  };
}

/** The nearest that the sandbox draws. */
const nearestRatio: Readonly<Partial<Record<string, Ratio>>> = { '3:2': '4:3', '2:3': '3:4' };
const drawnRatio = (ratio = '16:9'): Ratio =>
  ratios.find((one) => one === ratio) ?? nearestRatio[ratio] ?? '16:9';

/** Which of the sandbox's resolutions comes nearest to a vendor's. */
function nearest(word: string): Resolution {
  if (/^4k$/i.test(word)) return '4k';
  if (/^2k$/i.test(word)) return '1080p';
  const lines = Number.parseInt(word, 10) || 720;
  if (lines < 600) return '480p';
  return lines < 900 ? '720p' : '1080p';
}
