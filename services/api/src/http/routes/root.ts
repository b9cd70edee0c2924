import { GatewayError } from '@gateway/domain';
import { Router } from 'express';
import { onlyMethods } from '../methods.ts';

const endpoints = {
  create_video: 'POST /v1/videos', get_video: 'GET /v1/videos/{id}', create_asset: 'POST /v1/assets',
  messages: 'POST /v1/messages', count_tokens: 'POST /v1/messages/count_tokens', chat_completions: 'POST /v1/chat/completions', models: 'GET /v1/models', usage: 'GET /v1/usage',
};

/** What a person or a health prober finds at the front door. */
export function rootRoutes(version: string): Router {
  const router = Router();
  router.route('/')
    .get((_request, response) => {
      response.json({ name: 'generation-gateway', version, endpoints });
    })
    .all(onlyMethods('GET', 'HEAD'));
  // Some clients' default; a plain 404 would send their users searching.
  router.all('/v1/responses', () => {
    throw new GatewayError('route_not_found', 'the Responses API is not served here; use POST /v1/chat/completions (in the Vercel AI SDK: openai.chat(model))');
  });
  return router;
}
