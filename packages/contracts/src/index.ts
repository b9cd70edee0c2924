export { adminRequestSchemas } from './admin-request-schemas.ts';
export {
  type AdminRequestReader,
  createAdminRequestReader,
  type KeyBody,
  createRotationReader,
  type RotationReader,
} from './admin-request.ts';
export { compileOnce, createAjv } from './ajv.ts';
export { callbackTestSchema, createCallbackTestReader } from './callback-test.ts';
export {
  createEndpointReader,
  endpointPatchSchema,
  endpointSchema,
  type EndpointBody,
  type EndpointPatch,
  type EndpointReader,
} from './endpoint-request.ts';
export { assetDelivery, type DeliveryQuestion, inlineMaxBytesOf } from './asset-delivery.ts';
export type { ConfigurationProblem } from './configuration-document.ts';
export { longestPricedReference } from './configuration-price.ts';
export { configurationSchema } from './configuration-schema.ts';
export type { SecretSources } from './configuration-secrets.ts';
export {
  type Configuration,
  type ProviderSettings,
  type TextModel,
  type TextProvider,
  textProviderKinds,
  type TextRoute,
  type VideoModel,
  type VideoRoute,
} from './configuration.ts';
export { adminTaskFilterNames, readAdminTaskFilter } from './admin-task-filter.ts';
export { type DayPeriod, readDayPeriod } from './day-period.ts';
export {
  type ExposureFilter,
  exposureFilterNames,
  type ListedExposure,
  listedExposureResource,
  readExposureFilter,
} from './exposure-list.ts';
export {
  type AskedHold,
  type HoldBatchLine,
  holdBatchLineSchema,
  type HoldBatchRequest,
  holdBatchRequestSchema,
  type HoldFailure,
  type HoldOutcome,
  type HoldResponse,
  holdResponseSchema,
  type HoldRequest,
  holdRequestSchema,
  mostHoldsTogether,
} from './holds.ts';
export {
  leaseResponseSchema,
  leaseRequestSchema,
  mostLeasesAtOnce,
  type LeaseResponse,
  type LeaseAskBody,
  type LeaseRequest,
  type LeaseStateBody,
} from './text-leases.ts';
export {
  type JobEnvelope,
  jobEnvelopeSchema,
  type JobName,
  jobs,
  type JobSubject,
} from './jobs.ts';
export {
  type ExposedWork,
  exposureResource,
  marginReport,
  type MarginReport,
  marginResource,
  type MarginRow,
  marginTotal,
} from './margin.ts';
export { type MediaKind, mediaKinds } from './media-kind.ts';
export { readConfiguration } from './read-configuration.ts';
export {
  type BreakerStanding,
  breakerStates,
  type ConfigurationStanding,
  type LiveReplica,
  type ReplicaFacts,
} from './replica-facts.ts';
export * as shapes from './schema-of.ts';
export {
  configurationResource,
  failureResource,
  type ProviderFailures,
  providerStatus,
  replicaResource,
  type StatusFacts,
  statusReport,
} from './status-report.ts';
export type { Schema } from './schema-of.ts';
export { mediaVariants } from './task.ts';
export type {
  MediaVariant,
  NewTask,
  Reference,
  ReferenceRole,
  ReferenceSource,
  SourceVariant,
  StoredMedia,
  Task,
  TaskBill,
  TaskPrice,
  TaskResult,
  TaskVendor,
  VendorOutput,
  VendorUsage,
  VideoRequest,
} from './task.ts';
export {
  type ForwardLists,
  watchedHeaders,
  isListed,
  judgeQuery,
  restrictedHeader,
  type RestrictedPart,
  restrictedPartsOf,
} from './text-forwarding.ts';
export { type PricedBy, priceOf, pricesFor } from './text-priced-parts.ts';
export {
  createTextRequestReader,
  type KeptResponses,
  type TextRequestHead,
} from './text-request.ts';
export { textRequestSchemas } from './text-request-schemas.ts';
export { type UsageBatch, type UsageRecord, usageRecordSchema } from './usage.ts';
export { frameRoles, type OptionalField, optionalFields } from './video-fields.ts';
export { sizeOf, type VideoFormat } from './video-format.ts';
export {
  factorsOf,
  optionFields,
  optionsOf,
  type RequestedOptions,
  type VendorOptions,
  type VideoOption,
  videoOptions,
} from './video-options.ts';
export type { WrittenReference } from './video-references.ts';
export { routeProblems, type RouteVendor } from './video-routes.ts';
export type { AddressChecks } from './video-request-references.ts';
export { videoRequestSchema } from './video-request-schema.ts';
export {
  isRetired,
  namesInService,
  retiredSentence,
  retiringModels,
  type Retiring,
  withRoutes,
} from './retirement.ts';
export {
  exclusivePairs,
  createVideoRequestReader,
  type ReadVideoRequest,
} from './video-request.ts';
export {
  heldBillingSchema,
  metadataSchema,
  videoFailureCodeSchema,
  videoResourceSchema,
  videoStatusSchema,
} from './video-resource-schema.ts';
export { optionSchemas } from './video-option-schemas.ts';
export {
  createOperatorRedeliveryReader,
  createRedeliveryReader,
  deliveryStateNames,
  operatorRedeliverySchema,
  redeliverySchema,
  type OperatorRedeliveryBody,
  type RedeliveryBody,
} from './redelivery-request.ts';
export { requestResource, type RequestResource } from './request-resource.ts';
export {
  heldBilling,
  type HeldBilling,
  type MediaLinks,
  videoResource,
  type VideoResource,
} from './video-resource.ts';
export {
  videoModelBounds,
  type VendorCapabilities,
  type VideoModelBounds,
  type VideoVendorBounds,
  type VideoVendors,
} from './video-vendors.ts';
export { requestError, type Violation, violationsOf } from './violation.ts';
