import type { GatewayClient, VideoFilter, VideoRequest } from '@gateway/client';
import type { Gateway, Json, Page, Video } from '@gateway/mcp';
import { collect } from './collect.ts';

/** What the client returns is what the tools pass on: the resources of the document. */
const asVideo = (video: unknown): Video => video as Video;

/** The gateway as the tools of agents ask it, by the client. */
export function clientAsGateway(client: GatewayClient): Gateway {
  const { videos, models, assets } = client;
  return {
    quote: async (request, signal) => {
      const { portal_billing: price, ...quote } = await videos.quote(requestOf(request), {
        signal,
      });
      return { ...quote, portal_billing: price };
    },
    create: async (request, idempotencyKey, signal) =>
      asVideo(await videos.create(requestOf(request), { idempotencyKey, signal })),
    get: async (id, signal) => asVideo(await videos.get(id, { signal })),
    cancel: async (id, signal) => asVideo(await videos.cancel(id, { signal })),
    list: (query, signal) => pageOf(client, query, signal),
    models: async (signal) => [...(await collect(models.list({ signal })))],
    upload: async ({ bytes, name, contentType }, signal) => ({
      ...(await assets.upload(bytes, { name, contentType, signal })),
    }),
    wait: async (id, onChange, signal) =>
      asVideo(
        await videos.wait(id, {
          signal,
          onProgress: (video) => {
            onChange(asVideo(video));
          },
        }),
      ),
  };
}

/** The gateway judges requests, field by field. */
const requestOf = (request: Json): VideoRequest => request as VideoRequest;

const usualLimit = 20;

async function pageOf(
  { videos }: GatewayClient,
  { limit, ...filter }: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Page<Video>> {
  const most = limit === undefined ? usualLimit : Number(limit);
  const found = await collect(videos.list(filter as VideoFilter, { signal }), most + 1);
  return {
    object: 'list',
    data: found.slice(0, most).map(asVideo),
    has_more: found.length > most,
  };
}
