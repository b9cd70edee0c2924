export { driftKinds, firstDrift, type Drift, type MayDrift } from './drift.ts';
export type {
  CancelOutcome,
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
  VideoProvider,
} from './port.ts';
export {
  capabilitiesOf,
  createVideoProvider,
  credentialCheckOf,
  videoVendors,
} from './providers.ts';
export type { CredentialCheck } from './vendor.ts';
