import {
  assetDelivery,
  optionsOf,
  type DeliveryQuestion,
  type Reference,
  type Task,
} from '@gateway/contracts';
import type { FileRemover, MediaStorage } from '@gateway/media';
import type { Submission } from '@gateway/video-providers';
import type { SourceLinks } from './source-links.ts';

const minute = 60;

export interface SubmissionBuilderOptions {
  readonly storage: MediaStorage;
  /** Signed addresses from which a vendor fetches what is the account's own. */
  readonly links: SourceLinks;
  /** What the task's vendor takes, and whether it can fetch from us. */
  readonly deliveryTo: (task: Task) => DeliveryQuestion;
}

/**
 * Turns a stored request into what a provider takes: what lies in our storage becomes an address of
 * ours, or a `data:` URL again.
 */
export function createSubmissionBuilder(
  options: SubmissionBuilderOptions,
): (task: Task) => Promise<Submission> {
  return async (task) => {
    const { id, request, vendor, expiresAt, createdAt } = task;
    return {
      correlation: id,
      upstreamModel: vendor.upstreamModel,
      prompt: request.prompt,
      references: await Promise.all(
        request.references.map(async (reference) => ({
          kind: reference.kind,
          role: reference.role,
          url: await urlOf(reference, { task, ...options }),
        })),
      ),
      ratio: request.ratio,
      duration: request.duration,
      resolution: request.resolution,
      watermark: request.watermark,
      seed: request.seed,
      generateAudio: request.generateAudio,
      returnLastFrame: request.returnLastFrame,
      unsupported: request.unsupported,
      ...optionsOf(request),
      expiresAfterSeconds: Math.max(
        minute,
        Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000),
      ),
    };
  };
}

async function urlOf(
  { kind, source }: Reference,
  { task, storage, links, deliveryTo }: SubmissionBuilderOptions & { readonly task: Task },
): Promise<string> {
  if (source.type === 'url') return source.url;
  // A file without any way was refused at creation: where that has changed since, the vendor's
  // own refusal ends the task.
  if (source.type !== 'stored' && assetDelivery(kind, deliveryTo(task)) === 'url') {
    return source.type === 'asset'
      ? links.asset(source.assetId)
      : links.video(source.taskId, source.variant);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(source.key)) chunks.push(chunk as Buffer);
  return `data:${source.mediaType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

/**
 * Removes the stored references of a task that is over; assets and videos stay their account's. What cannot be
 * removed now is left to the sweep of the storage.
 */
export function createInputRemover({
  remove,
}: Pick<FileRemover, 'remove'>): (task: Task) => Promise<void> {
  return async ({ request }) => {
    for (const { source } of request.references) {
      if (source.type === 'stored') await remove(source.key);
    }
  };
}
