import { createHash } from 'node:crypto';
import {
  createVideoRequestReader,
  type Configuration,
  type DeliveryQuestion,
  type TaskVendor,
  type VideoModel,
} from '@gateway/contracts';
import type { MediaStorage } from '@gateway/media';
import { canBeFetchedBy, type UrlRule } from '@gateway/outbound';
import type { Producer } from '@gateway/queue';
import { newId, perVersion, type LiveConfiguration, type Log } from '@gateway/runtime';
import type { TaskReads } from '@gateway/store';
import { capabilitiesOf } from '@gateway/video-providers';
import type { AccountRoom } from './adapters/account-room.ts';
import { createBillingClient } from './adapters/billing-client.ts';
import type { OnBillingCall } from './adapters/billing-measure.ts';
import { hashBody } from './adapters/body-hash.ts';
import {
  addressChecks,
  createReferenceRemover,
  createReferenceStore,
} from './adapters/reference-store.ts';
import { createVendorRoom, type VendorRoom } from './adapters/vendor-room.ts';
import type { buildAssets } from './assets.ts';
import type { Settings } from './config.ts';
import { createCreateVideo, type CreateVideoPorts } from './use-cases/create-video.ts';
import { createListModels } from './use-cases/list-models.ts';
import { createQuoteVideo } from './use-cases/quote-video.ts';

export interface DerivedParts {
  readonly settings: Readonly<Settings>;
  readonly rule: UrlRule;
  readonly log: Log;
  readonly onBillingCall: OnBillingCall;
  readonly producer: Producer;
  readonly storage: MediaStorage;
  readonly creation: Omit<CreateVideoPorts['tasks'], 'find'>;
  readonly hasRoom: AccountRoom;
  readonly reads: TaskReads;
  readonly placesTaken: (provider: string) => Promise<number>;
  readonly balanceOf: Parameters<typeof createQuoteVideo>[0]['balanceOf'];
  readonly resolverFor: ReturnType<typeof buildAssets>['resolverFor'];
}

/** What the api makes of a version of the configuration; of the first one at once. */
export function deriver(configuration: LiveConfiguration, parts: DerivedParts) {
  const { BILLING_URL: baseUrl, SERVICE_TOKEN: serviceToken } = parts.settings;
  const billing = createBillingClient({
    baseUrl,
    serviceToken,
    log: parts.log,
    onCall: parts.onBillingCall,
  });
  const vendorHasRoom = createVendorRoom(parts);
  const derived = perVersion(configuration, (version) => {
    const read = buildReader(version, parts.rule);
    const resolveAssets = parts.resolverFor(deliveries(parts.settings, version));
    return {
      models: createListModels(version, new Date()),
      createVideo: buildCreateVideo(version, {
        ...parts,
        billing,
        read,
        resolveAssets,
        vendorHasRoom,
      }),
      quoteVideo: createQuoteVideo({ read, resolveAssets, balanceOf: parts.balanceOf }),
    };
  });
  derived();
  return derived;
}

const buildReader = (
  configuration: Configuration,
  rule: UrlRule,
): ReturnType<typeof createVideoRequestReader> =>
  createVideoRequestReader({
    models: configuration.models,
    capabilitiesOf: (model) => capabilitiesOf(providerOf(configuration, model).kind),
    checks: addressChecks(rule, configuration.limits.assetBytes),
  });

interface CreateVideoParts extends DerivedParts {
  readonly billing: ReturnType<typeof createBillingClient>;
  readonly read: ReturnType<typeof buildReader>;
  readonly resolveAssets: ReturnType<DerivedParts['resolverFor']>;
  readonly vendorHasRoom: VendorRoom;
}

/**
 * Of one version of the configuration: a request keeps to it from its first look at the model to
 * the task's row.
 */
function buildCreateVideo(
  configuration: Configuration,
  {
    billing,
    read,
    resolveAssets,
    hasRoom,
    vendorHasRoom,
    producer,
    storage,
    creation,
    reads,
  }: CreateVideoParts,
): ReturnType<typeof createCreateVideo> {
  return createCreateVideo({
    newTaskId: () => newId('task'),
    read,
    hashBody,
    vendorOf: (model) => vendorOf(configuration, model),
    takeHold: billing.takeHold,
    releaseHold: billing.releaseHold,
    maxActive: configuration.limits.defaultAccount.activeVideos,
    hasRoom,
    resolveAssets,
    storeReferences: createReferenceStore(storage, configuration.limits.assetBytes),
    dropReferences: createReferenceRemover(storage),
    tasks: { ...creation, find: reads.findForAccount },
    wake: ({ id, requestId, callbackUrl, vendor: { provider } }) => {
      const maxConcurrent = configuration.providers.get(provider)?.maxConcurrent ?? Infinity;
      if (vendorHasRoom({ provider, maxConcurrent })) {
        void producer.wake('video.advance', id, { requestId, isOwnTrace: true });
      }
      if (callbackUrl !== null) {
        void producer.wake('callback.push', id, { requestId, isOwnTrace: true });
      }
    },
  });
}

const deliveries =
  ({ PUBLIC_BASE_URL: ours }: Readonly<Settings>, configuration: Configuration) =>
  (model: VideoModel): DeliveryQuestion => {
    const { kind, baseUrl } = providerOf(configuration, model);
    return { capabilities: capabilitiesOf(kind), canFetch: canBeFetchedBy(baseUrl, ours) };
  };

function providerOf({ providers }: Configuration, model: VideoModel) {
  const provider = providers.get(model.provider);
  if (provider === undefined) {
    throw new Error(
      `model ${model.name} names the provider ${model.provider}, which is not configured`,
    );
  }
  return provider;
}

function vendorOf(configuration: Configuration, model: VideoModel): TaskVendor {
  const { name, kind, baseUrl, apiKey } = providerOf(configuration, model);
  const credentialId = createHash('sha256').update(apiKey).digest('hex').slice(0, 12);
  return {
    provider: name,
    kind,
    baseUrl,
    credentialId,
    upstreamModel: model.upstreamModel,
    taskId: null,
  };
}
