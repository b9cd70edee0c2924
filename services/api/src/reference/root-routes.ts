import { Router } from 'express';
import type { Reference } from './reference.ts';
import { onlyMethods } from '../http/methods.ts';
import { sendPage } from './send-page.ts';

const endpoints = {
  create_video: 'POST /v1/videos',
  get_video: 'GET /v1/videos/{id}',
  create_asset: 'POST /v1/assets',
  messages: 'POST /v1/messages',
  count_tokens: 'POST /v1/messages/count_tokens',
  chat_completions: 'POST /v1/chat/completions',
  responses: 'POST /v1/responses',
  embeddings: 'POST /v1/embeddings',
  agents: 'POST /mcp',
  models: 'GET /v1/models',
  usage: 'GET /v1/usage',
  reference: 'GET /docs',
};

/** The front door: a page for clients that ask for HTML by name, JSON for all others. */
export function rootRoutes({ version, landing }: Pick<Reference, 'version' | 'landing'>): Router {
  const router = Router();
  router
    .route('/')
    .get((request, response) => {
      response.vary('accept');
      if (request.accepts(['application/json', 'text/html']) === 'text/html') {
        sendPage(response, landing);
      } else response.json({ name: 'generation-gateway', version, endpoints });
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
