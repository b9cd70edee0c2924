import type { SimulatedVendor } from '../tasks/vendor.ts';
import { openaiVideoModels } from './create-video.ts';
import { openaiVideosRoutes } from './routes.ts';
import { toVideoObject } from './video-object.ts';

/** The OpenAI videos API; its keys, ids and errors are those of the chat dialect. */
export const openaiVideos: SimulatedVendor = {
  format: 'openai-videos',
  path: '/v1/videos',
  speaks: 'the OpenAI videos format',
  listing: {
    openai_videos: {
      routes: [
        'POST /v1/videos',
        'GET /v1/videos',
        'GET /v1/videos/{id}',
        'GET /v1/videos/{id}/content',
        'DELETE /v1/videos/{id}',
      ],
      models: Object.keys(openaiVideoModels),
    },
  },
  show: toVideoObject,
  routes: openaiVideosRoutes,
};
