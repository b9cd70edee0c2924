export * from './admin-request.ts';
export * from './asset-delivery.ts';
export * from './configuration.ts';
export { configurationSchema } from './configuration-schema.ts';
export * from './holds.ts';
export * from './jobs.ts';
export * from './read-configuration.ts';
export * as shapes from './schema-of.ts';
export type { Schema } from './schema-of.ts';
export * from './task.ts';
export * from './usage.ts';
export * from './text-request.ts';
export * from './video-format.ts';
export * from './video-references.ts';
export * from './video-request-schema.ts';
export type { AddressChecks } from './video-request-references.ts';
export * from './video-request.ts';
export * from './video-resource-schema.ts';
export * from './video-resource.ts';
export type {
  VendorCapabilities,
  VideoModelBounds,
  VideoVendorBounds,
  VideoVendors,
} from './video-vendors.ts';
export * from './violation.ts';
