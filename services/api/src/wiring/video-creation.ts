import { setImmediate } from 'node:timers/promises';
import { createVideoRequestReader, type Configuration } from '@gateway/contracts';
import { createOutboundClient, openedRanges, type UrlRule } from '@gateway/outbound';
import { newId, perVersion, type LiveConfiguration } from '@gateway/runtime';
import {
  createAssets,
  createLedger,
  createSourceVideos,
  createTaskCreation,
  createTaskReads,
  createWork,
} from '@gateway/store';
import { createAccountCapacity } from '../adapters/account-capacity.ts';
import { createConfiguredVendors } from '../adapters/configured-vendors.ts';
import { createReferenceMeter } from '../adapters/reference-meter.ts';
import {
  addressChecks,
  createReferenceRemover,
  createReferenceStore,
} from '../adapters/reference-store.ts';
import { createRouteChoice, type RouteChoiceOptions } from '../adapters/route-choice.ts';
import { createTaskInserter } from '../adapters/task-inserter.ts';
import { createVendorCapacity } from '../adapters/vendor-capacity.ts';
import type { HeldData } from '../bodies/index.ts';
import type { Settings } from '../config.ts';
import { patienceOf } from './patience.ts';
import { createCreateVideo } from '../use-cases/create-video.ts';
import { createListModels } from '../use-cases/list-models.ts';
import { createPriceVideo } from '../use-cases/price-video.ts';
import { createQuoteVideo } from '../use-cases/quote-video.ts';
import { createResolveReferences, createRoutesFor } from '../use-cases/resolve-references.ts';
import { createWakeForNewTask } from '../use-cases/wake-for-new-task.ts';
import type { Clients } from './clients.ts';

export interface VideoCreationParts extends Pick<
  Clients,
  'database' | 'clock' | 'producer' | 'storage' | 'billing' | 'log'
> {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly rule: UrlRule;
  readonly heldData: HeldData;
  /** Whether its vendor has said that it has no such model. */
  readonly isGone: RouteChoiceOptions['isGone'];
}

/**
 * What depends on the configuration, built anew for each version and for the first one at once. A
 * request keeps to one version from its model to the task's row.
 */
export function buildVideoCreation(parts: VideoCreationParts) {
  const { settings, rule, heldData, isGone } = parts;
  const unversioned = buildUnversioned(parts);
  const versioned = perVersion(parts.configuration, (configuration) =>
    buildVersion(configuration, { ...unversioned, settings, rule, heldData, isGone }),
  );
  versioned();
  return versioned;
}

/** Throws for ranges that may not be opened, so call it before anything connects. */
export const addressRule = ({
  CALLBACK_ALLOW_HTTP: allowHttp,
  CALLBACK_ALLOW_CIDRS: cidrs,
  NODE_ENV: nodeEnv,
}: Readonly<Settings>): UrlRule => ({
  allowHttp,
  allowCidrs: openedRanges(cidrs, { setting: 'CALLBACK_ALLOW_CIDRS', nodeEnv }),
});

/** What outlives versions: clients, and what is remembered between requests. */
function buildUnversioned({
  settings,
  rule,
  database,
  clock,
  producer,
  storage,
  billing,
  log,
}: VideoCreationParts) {
  const creation = createTaskCreation(database);
  return {
    billing,
    clock,
    /** References follow the rule of callbacks. */
    outbound: createOutboundClient({ ...rule, userAgent: 'generation-gateway-references/0.1' }),
    tasks: {
      claimKey: creation.claimKey,
      dropKey: creation.dropKey,
      insertTask: createTaskInserter(creation, {
        mostWaiting: settings.WAITING_PER_ACCOUNT,
        mostWaitingInAll: settings.WAITING_IN_ALL,
        waitMs: settings.WAITING_MS,
        gather: setImmediate,
      }),
      findForAccount: createTaskReads(database).findForAccount,
    },
    hasCapacity: createAccountCapacity(creation),
    vendorHasCapacity: createVendorCapacity({ slotsTaken: createWork(database).countAtVendor }),
    findOwnAssets: createAssets(database).findOwn,
    findSourceVideos: createSourceVideos(database).findSources,
    balanceOf: createLedger(database).balanceOf,
    removeReferences: createReferenceRemover(storage, log),
    storage,
    wake: producer.wake,
  };
}

type Unversioned = ReturnType<typeof buildUnversioned>;

function buildVersion(
  configuration: Configuration,
  shared: Unversioned & Pick<VideoCreationParts, 'settings' | 'rule' | 'heldData' | 'isGone'>,
) {
  const { models, limits } = configuration;
  const vendors = createConfiguredVendors(configuration, shared.settings.PUBLIC_BASE_URL);
  const read = createVideoRequestReader({
    models,
    capabilitiesOf: vendors.capabilitiesOf,
    checks: addressChecks(shared.rule, limits.assetBytes, shared.heldData.judge),
    clock: shared.clock,
  });
  const resolveReferences = createResolveReferences({
    findAssets: shared.findOwnAssets,
    findVideos: shared.findSourceVideos,
    deliveryTo: vendors.deliveryTo,
  });
  const priceVideo = createPriceVideo({
    measure: createReferenceMeter({
      outbound: shared.outbound,
      judge: shared.heldData.judge,
      maxBytes: limits.assetBytes,
    }),
  });
  const { balanceOf, billing, tasks, hasCapacity, removeReferences, wake } = shared;
  return {
    models: createListModels(configuration, shared.clock),
    quoteVideo: createQuoteVideo({ read, resolveReferences, priceVideo, balanceOf }),
    createVideo: createCreateVideo({
      newTaskId: () => newId('task', shared.clock.now()),
      read,
      vendorOf: vendors.vendorOf,
      routesFor: createRoutesFor({ deliveryTo: vendors.deliveryTo }),
      chooseRoute: createRouteChoice({ random: Math.random, isGone: shared.isGone }),
      takeHold: billing.takeHold,
      releaseHold: billing.releaseHold,
      maxActive: limits.defaultAccount.activeVideos,
      hasCapacity,
      resolveReferences,
      priceVideo,
      storeReferences: createReferenceStore(
        shared.storage,
        limits.assetBytes,
        shared.heldData.judge,
      ),
      removeReferences,
      tasks,
      patience: patienceOf(shared.settings.OUTCOME_WAIT_MS),
      keepsPrompts: shared.settings.STORE_PROMPTS !== false,
      wake: createWakeForNewTask({
        wake,
        mayHaveFreeSlot: (provider) =>
          shared.vendorHasCapacity({ provider, maxConcurrent: vendors.maxConcurrent(provider) }),
      }),
    }),
  };
}
