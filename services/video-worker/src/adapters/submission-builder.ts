import type { Reference, Task } from '@gateway/contracts';
import type { MediaStorage } from '@gateway/media';
import type { Submission } from '@gateway/video-providers';

const minute = 60;

/** Turns a stored request into what a provider takes: a reference in our storage becomes a `data:` URL again. */
export function createSubmissionBuilder(storage: MediaStorage): (task: Task) => Promise<Submission> {
  return async ({ id, request, vendor, expiresAt, createdAt }) => ({
    correlation: id,
    upstreamModel: vendor.upstreamModel,
    prompt: request.prompt,
    references: await Promise.all(request.references.map(async (reference) => ({ kind: reference.kind, role: reference.role, url: await urlOf(reference, storage) }))),
    ratio: request.ratio,
    duration: request.duration,
    resolution: request.resolution,
    watermark: request.watermark,
    seed: request.seed,
    generateAudio: request.generateAudio,
    returnLastFrame: request.returnLastFrame,
    unsupported: request.unsupported,
    expiresAfterSeconds: Math.max(minute, Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)),
  });
}

async function urlOf({ source }: Reference, storage: MediaStorage): Promise<string> {
  if (source.type === 'url') return source.url;
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(source.key)) chunks.push(chunk as Buffer);
  return `data:${source.mediaType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

/** Removes the stored references of a task that is over. */
export function createInputRemover(storage: MediaStorage): (task: Task) => Promise<void> {
  return async ({ request }) => {
    for (const { source } of request.references) {
      if (source.type === 'stored') await storage.delete(source.key);
    }
  };
}
