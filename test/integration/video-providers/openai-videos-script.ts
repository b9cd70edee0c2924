import type { ScriptedResponse, SeenRequest, VendorCall } from '../../contracts/scripted-vendor.ts';
import type { VendorScript } from '../../contracts/vendor-script.ts';

const videos = '/v1/videos';

const openaiError = (
  status: number,
  code: string | null,
  { message = 'something about it', type = 'invalid_request_error' } = {},
): ScriptedResponse => ({
  status,
  body: { error: { message, type, param: null, code } },
});

const openaiVideo = (id: string, fields: object): ScriptedResponse => ({
  status: 200,
  body: {
    id,
    object: 'video',
    model: 'sora-2',
    status: 'queued',
    progress: 0,
    prompt: 'a cat',
    created_at: 1767225600,
    completed_at: null,
    expires_at: null,
    seconds: '4',
    size: '1280x720',
    remixed_from_video_id: null,
    error: null,
    ...fields,
  },
});

function callOf({ method, path }: SeenRequest): VendorCall | undefined {
  if (method === 'POST') return path === videos ? 'create' : undefined;
  return method === 'GET' && /^\/v1\/videos\/[^/]+$/.test(path) ? 'poll' : undefined;
}

/** The responses of the OpenAI videos API, after its client. */
export const openaiVideosScript = {
  basePath: '/v1',
  callOf,
  keyHeader: { name: 'authorization', value: (apiKey) => `Bearer ${apiKey}` },
  create: {
    accepted: (id) => openaiVideo(id, {}),
    refused: (sentence) => openaiError(400, 'invalid_value', { message: sentence }),
    moderated: openaiError(400, 'moderation_blocked', {
      message: 'Your request was blocked by our moderation system.',
    }),
    accountUnusable: openaiError(429, 'insufficient_quota', {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
    }),
    busy: {
      ...openaiError(429, 'rate_limit_exceeded', { type: 'requests' }),
      headers: { 'retry-after': '7' },
    },
    withoutId: { status: 200, body: { object: 'video' } },
  },
  fileUrl: (baseUrl, id) => `${baseUrl}/videos/${id}/content`,
  task: {
    queued: (id) => openaiVideo(id, {}),
    running: (id) => openaiVideo(id, { status: 'in_progress', progress: 40 }),
    succeeded: (id) =>
      openaiVideo(id, {
        status: 'completed',
        progress: 100,
        completed_at: 1767225660,
        expires_at: 4102444800,
      }),
    withoutOutput: (id) =>
      openaiVideo(id, {
        status: 'completed',
        progress: 100,
        completed_at: 1767225660,
        expires_at: 1767229260,
      }),
    failed: (id) =>
      openaiVideo(id, {
        status: 'failed',
        error: { code: 'server_error', message: 'The server had an error.' },
      }),
    moderated: (id) =>
      openaiVideo(id, {
        status: 'failed',
        error: { code: 'moderation_blocked', message: 'The video was blocked.' },
      }),
    expired: (id) => openaiVideo(id, { status: 'expired' }),
    withStatus: (id, status) => openaiVideo(id, { status }),
    missing: openaiError(404, 'not_found', {
      message: 'Video with id cgt-20260101000000-abcde not found.',
    }),
    garbage: {
      'JSON of another shape': { status: 200, body: [] },
      'an object without a status': { status: 200, body: {} },
      'a status that is not a word': openaiVideo('cgt-20260101000000-abcde', { status: 3 }),
      'another video': openaiVideo('video_other', { status: 'completed', progress: 100 }),
      'an empty response': { status: 202 },
    },
  },
} satisfies VendorScript;
