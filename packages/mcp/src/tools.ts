import { create, readCreation, readSaveAs, withModel } from './create-video.ts';
import { isEnded, reasonOf, ToolError, type Json, type Video } from './gateway.ts';
import { id, objectOf, requestFields, saveAs, waitSeconds } from './schemas.ts';
import type { Call, Connection, Said, Tool } from './tool.ts';
import { mostWaitSeconds, newsOf, waitFor } from './wait.ts';

const usualWaitSeconds = 45;
const reading: Json = { readOnlyHint: true, openWorldHint: false };

/** The one tool that may begin a task of the protocol. */
export const creatingTool = 'create_video';

/** All tools for a server with, or without, files of the agent's machine beside it. */
export function toolsFor(hasFiles: boolean): readonly Tool[] {
  const files = hasFiles ? { save_as: saveAs } : {};
  return [
    { ...quoteVideo, run: runQuote },
    {
      name: creatingTool,
      title: 'Create a video',
      description: `Makes a video, which costs quota (quote_video says how much; failed videos cost nothing). It takes from seconds to minutes: the result is the finished video if that is there within wait_seconds, otherwise the video as it is, and get_video with its id goes on waiting. A video that was created is never lost: list_videos finds it.`,
      inputSchema: objectOf({
        ...requestFields,
        wait_seconds: waitSeconds(usualWaitSeconds),
        ...files,
        idempotency_key: {
          type: 'string',
          description:
            'Your own name for this creation. After a lost response, the same name and arguments find the same video instead of making another one.',
        },
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      run: runCreate,
    },
    {
      name: 'get_video',
      title: 'Get a video',
      description:
        'Returns a video: its status, what it costs, and once it has succeeded the address of its file. Can wait for its end.',
      inputSchema: objectOf({ id, wait_seconds: waitSeconds(0), ...files }, ['id']),
      annotations: reading,
      run: runGet,
    },
    { ...listVideos, run: runList },
    { ...cancelVideo, run: runCancel },
    { ...listModels, run: runModels },
    {
      name: 'upload_asset',
      title: 'Upload an asset',
      description:
        'Uploads an image, clip or sound to make videos from; its id is the `url` of a reference in create_video. A public address needs no upload.',
      inputSchema: objectOf({
        ...(hasFiles && {
          path: {
            type: 'string',
            description: 'A file on this machine, inside the folder that this server may use.',
          },
        }),
        data: {
          type: 'string',
          contentEncoding: 'base64',
          description: hasFiles
            ? 'Its bytes as base64, instead of path.'
            : 'Its bytes as base64. Larger files: POST /v1/assets.',
        },
        name: { type: 'string', description: 'What it is called, such as cat.png.' },
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: runUpload,
    },
  ];
}

const quoteVideo = {
  name: 'quote_video',
  title: 'Quote a video',
  description:
    'Says what a video would cost at most, and whether the account can afford it. Takes the arguments of create_video; creates and reserves nothing.',
  inputSchema: objectOf(requestFields),
  annotations: reading,
};

const listVideos = {
  name: 'list_videos',
  title: 'List videos',
  description:
    'Lists the videos of the account, newest first, those of other connections included. Finds what was created before a connection broke.',
  inputSchema: objectOf({
    status: {
      type: 'string',
      enum: ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'],
      description: 'Only videos with this status.',
    },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    after: { type: 'string', description: 'Only videos older than the one with this id.' },
  }),
  annotations: reading,
};

const cancelVideo = {
  name: 'cancel_video',
  title: 'Cancel a video',
  description: 'Cancels a video while that is still possible. A cancelled video costs nothing.',
  inputSchema: objectOf({ id }, ['id']),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

const listModels = {
  name: 'list_models',
  title: 'List models',
  description:
    'Lists the video models that the key may use: lengths, ratios and resolutions, what each makes a video from, and prices in quota.',
  inputSchema: objectOf({}),
  annotations: reading,
};

async function runQuote(connection: Connection, { args, signal }: Call): Promise<Said> {
  const request = await withModel(connection, args.rest(), signal);
  return { resource: await connection.gateway.quote(request, signal) };
}

async function runCreate(connection: Connection, call: Call): Promise<Said> {
  const { args, signal } = call;
  const seconds = waitOf(call) ?? usualWaitSeconds;
  const creation = await readCreation(connection, args, signal);
  const { video: begun, hint } = await create(connection, creation, signal);
  const [video, wait] = await watched(connection, begun, { ...call, seconds });
  const made = await saidOfMade(connection, { video, saveAs: creation.saveAs, signal });
  const hints = [hint, wait, made.hint].filter((each) => each !== undefined);
  return { ...made, ...(hints.length > 0 && { hint: hints.join(' ') }) };
}

/** The newest that is known of a video that was created, and why that is not its end, where the wait broke. */
async function watched(
  connection: Connection,
  begun: Video,
  waiting: Call & { readonly seconds: number },
): Promise<readonly [Video, string?]> {
  let newest = begun;
  try {
    newest = await waitFor(connection, begun, {
      ...waiting,
      seen: (video) => {
        newest = video;
      },
    });
    return [newest];
  } catch (error) {
    return [newest, `Waiting for ${begun.id} broke off: ${reasonOf(error)}.`];
  }
}

/** The video is there, and paid for, whatever becomes of its file. */
export async function saidOfMade(connection: Connection, saying: Saying): Promise<Said> {
  try {
    return await said(connection, saying);
  } catch (error) {
    return {
      resource: saying.video,
      hint: `${saying.video.id} was made, but its file could not be saved: ${reasonOf(error)}. get_video with this id and save_as tries again.`,
    };
  }
}

async function runGet(connection: Connection, call: Call): Promise<Said> {
  const { args, signal } = call;
  const seconds = waitOf(call) ?? 0;
  const target = await readSaveAs(connection, args);
  const videoId = args.requiredText('id');
  args.end();
  const now = await connection.gateway.get(videoId, signal);
  const video = await waitFor(connection, now, { ...call, seconds });
  return said(connection, { video, saveAs: target, signal });
}

const waitOf = ({ args }: Call): number | undefined =>
  args.whole('wait_seconds', { least: 0, most: mostWaitSeconds });

interface Saying {
  readonly video: Video;
  readonly saveAs: string | undefined;
  readonly signal: AbortSignal;
}

/** A video with what to do next; its file is put where it was wanted. */
export async function said(
  { files }: Connection,
  { video, saveAs: target, signal }: Saying,
): Promise<Said> {
  if (video.status !== 'succeeded') {
    const hint = isEnded(video)
      ? `${video.id} ${newsOf(video)}; it cost nothing.`
      : `${video.id} is not finished (${newsOf(video)}): call get_video with this id and wait_seconds.`;
    return { resource: video, hint };
  }
  if (target === undefined || files === undefined) return { resource: video };
  const file = await files.save(video, target, signal);
  return { resource: { ...video, file }, hint: `The video is in ${file}.` };
}

async function runList({ gateway, budget }: Connection, { args, signal }: Call): Promise<Said> {
  const [status, after] = [args.text('status'), args.text('after')];
  const limit = args.whole('limit', { least: 1, most: 100 });
  args.end();
  const query = {
    ...(status !== undefined && { status }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit: String(limit) }),
  };
  const page = await gateway.list(query, signal);
  for (const video of page.data) await budget.seen(video);
  return { resource: page };
}

async function runCancel({ gateway, budget }: Connection, { args, signal }: Call): Promise<Said> {
  const videoId = args.requiredText('id');
  args.end();
  const video = await gateway.cancel(videoId, signal);
  await budget.seen(video);
  return { resource: video };
}

async function runModels({ gateway }: Connection, { args, signal }: Call): Promise<Said> {
  args.end();
  const data = (await gateway.models(signal)).filter(({ kind }) => kind === 'video');
  return { resource: { object: 'list', data } };
}

async function runUpload({ gateway, files }: Connection, { args, signal }: Call): Promise<Said> {
  const path = files === undefined ? undefined : args.text('path');
  const [data, name] = [args.text('data'), args.text('name')];
  args.end();
  if (files !== undefined && path !== undefined) {
    const file = await files.read(path);
    return { resource: await gateway.upload({ ...file, name: name ?? file.name }, signal) };
  }
  if (data === undefined) {
    const wanted = files === undefined ? 'data' : 'path or data';
    throw new ToolError('missing_parameter', `${wanted} is required`, 'data');
  }
  return { resource: await gateway.upload({ bytes: bytesOf(data), name }, signal) };
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  const base64 = data.replace(/\s/g, '');
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new ToolError('invalid_parameter', 'data must be base64', 'data');
  }
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}
