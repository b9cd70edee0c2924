import { createVideoRequestReader, type Configuration } from '@gateway/contracts';
import { openedRanges, type UrlRule } from '@gateway/outbound';
import { newId, perVersion, type LiveConfiguration } from '@gateway/runtime';
import {
  createAssets,
  createLedger,
  createTaskCreation,
  createTaskReads,
  createWork,
} from '@gateway/store';
import { createAccountCapacity } from '../adapters/account-capacity.ts';
import { createBillingClient } from '../adapters/billing-client.ts';
import { createBillingMetrics } from '../adapters/billing-metrics.ts';
import { hashBody } from '../adapters/body-hash.ts';
import { createConfiguredVendors } from '../adapters/configured-vendors.ts';
import {
  addressChecks,
  createReferenceRemover,
  createReferenceStore,
} from '../adapters/reference-store.ts';
import { createTaskInserter } from '../adapters/task-inserter.ts';
import { createVendorCapacity } from '../adapters/vendor-capacity.ts';
import type { Settings } from '../config.ts';
import { createCreateVideo } from '../use-cases/create-video.ts';
import { createListModels } from '../use-cases/list-models.ts';
import { createQuoteVideo } from '../use-cases/quote-video.ts';
import { createResolveAssets } from '../use-cases/resolve-assets.ts';
import { createWakeForNewTask } from '../use-cases/wake-for-new-task.ts';
import type { Clients } from './clients.ts';

export interface VideoCreationParts extends Pick<
  Clients,
  'database' | 'producer' | 'storage' | 'metrics' | 'log'
> {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly rule: UrlRule;
}

/**
 * What depends on the configuration, built anew for each version and for the first one at once. A
 * request keeps to one version from its model to the task's row.
 */
export function buildVideoCreation(parts: VideoCreationParts) {
  const { settings, rule } = parts;
  const unversioned = buildUnversioned(parts);
  const versioned = perVersion(parts.configuration, (configuration) =>
    buildVersion(configuration, { ...unversioned, settings, rule }),
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
  database,
  producer,
  storage,
  settings,
  metrics,
  log,
}: VideoCreationParts) {
  const creation = createTaskCreation(database);
  return {
    billing: createBillingClient({
      baseUrl: settings.BILLING_URL,
      serviceToken: settings.SERVICE_TOKEN,
      log,
      onCall: createBillingMetrics(metrics),
    }),
    tasks: {
      claimKey: creation.claimKey,
      dropKey: creation.dropKey,
      insertTask: createTaskInserter(creation),
      findForAccount: createTaskReads(database).findForAccount,
    },
    hasCapacity: createAccountCapacity(creation),
    vendorHasCapacity: createVendorCapacity({ slotsTaken: createWork(database).countAtVendor }),
    findOwnAssets: createAssets(database).findOwn,
    balanceOf: createLedger(database).balanceOf,
    removeReferences: createReferenceRemover(storage, log),
    storage,
    wake: producer.wake,
  };
}

type Unversioned = ReturnType<typeof buildUnversioned>;

function buildVersion(
  configuration: Configuration,
  shared: Unversioned & { readonly settings: Readonly<Settings>; readonly rule: UrlRule },
) {
  const { models, limits } = configuration;
  const vendors = createConfiguredVendors(configuration, shared.settings.PUBLIC_BASE_URL);
  const read = createVideoRequestReader({
    models,
    capabilitiesOf: vendors.capabilitiesOf,
    checks: addressChecks(shared.rule, limits.assetBytes),
  });
  const resolveAssets = createResolveAssets({
    findOwn: shared.findOwnAssets,
    deliveryTo: vendors.deliveryTo,
  });
  const { balanceOf, billing, tasks, hasCapacity, removeReferences, wake } = shared;
  return {
    models: createListModels(configuration, new Date()),
    quoteVideo: createQuoteVideo({ read, resolveAssets, balanceOf }),
    createVideo: createCreateVideo({
      newTaskId: () => newId('task'),
      read,
      hashBody,
      vendorOf: vendors.vendorOf,
      takeHold: billing.takeHold,
      releaseHold: billing.releaseHold,
      maxActive: limits.defaultAccount.activeVideos,
      hasCapacity,
      resolveAssets,
      storeReferences: createReferenceStore(shared.storage, limits.assetBytes),
      removeReferences,
      tasks,
      wake: createWakeForNewTask({
        wake,
        mayHaveFreeSlot: (provider) =>
          shared.vendorHasCapacity({ provider, maxConcurrent: vendors.maxConcurrent(provider) }),
      }),
    }),
  };
}
