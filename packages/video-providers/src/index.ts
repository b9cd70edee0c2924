export type {
  CancelOutcome,
  FindOutcome,
  PollMany,
  PollManyOutcome,
  PollOutcome,
  ProviderConnection,
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
