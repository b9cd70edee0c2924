export { driftKinds, firstDrift, type Drift, type MayDrift } from './drift.ts';
export type {
  CancelOutcome,
  FileOutcome,
  FindOutcome,
  ListedTask,
  ListOutcome,
  PollMany,
  PollManyOutcome,
  PollOutcome,
  ProviderConnection,
  ServingOutcome,
  Submission,
  SubmitOutcome,
  VendorOutput,
  VendorUsage,
  VideoProvider,
} from './port.ts';
export {
  capabilitiesOf,
  createVideoProvider,
  credentialCheckOf,
  videoVendors,
  watermarkOf,
} from './providers.ts';
export type { CredentialCheck } from './vendor.ts';
