import type { PriceItem, PriceTerms, TaskFailure, TaskStatus, TaskStep } from '@gateway/domain';
import type { MediaKind } from './media-kind.ts';
import type { RequestedOptions } from './video-options.ts';
import type { OptionalField } from './video-fields.ts';

export const referenceRoles = [
  'reference_image',
  'reference_video',
  'reference_audio',
  'first_frame',
  'last_frame',
] as const;
export type ReferenceRole = (typeof referenceRoles)[number];

/**
 * Where a reference's bytes are. A `data:` URL is kept in our own storage: the request holds only
 * its key, length and hash. An asset is one of the account's own files, which outlives the task; so is
 * a file of another of its tasks.
 */
export type ReferenceSource =
  | { readonly type: 'url'; readonly url: string }
  | ({ readonly type: 'stored' } & StoredReference)
  | ({ readonly type: 'asset'; readonly assetId: string } & StoredReference)
  | ({
      readonly type: 'task';
      readonly taskId: string;
      readonly variant: SourceVariant;
    } & StoredReference);

interface StoredReference {
  readonly key: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Reference {
  readonly kind: MediaKind;
  readonly role: ReferenceRole;
  readonly source: ReferenceSource;
}

/**
 * What a customer asked for, whichever of the two formats said it. Everything behind the parser
 * knows only this.
 */
export interface VideoRequest<Source = Reference> extends RequestedOptions {
  readonly prompt: string;
  readonly references: readonly Source[];
  readonly ratio: string;
  /** Whole seconds, or -1 where the vendor decides. */
  readonly duration: number;
  readonly resolution: string;
  readonly watermark: boolean;
  readonly seed: number | null;
  readonly generateAudio: boolean;
  readonly returnLastFrame: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Fields that the model's vendor does not know: never sent. */
  readonly unsupported: readonly OptionalField[];
  /** Optional fields that the customer sent, where a route is to be found that knows them. */
  readonly needs?: readonly OptionalField[];
  /** Prompt and references are not to be kept: the database removes them when the task ends. */
  readonly isPrivate?: true;
  /** They were removed. */
  readonly isErased?: true;
}

/**
 * Which vendor a task belongs to, stored with it so that a changed configuration never orphans it.
 */
export interface TaskVendor {
  readonly provider: string;
  readonly kind: string;
  readonly baseUrl: string;
  /** Fingerprint of the key used, never the key. */
  readonly credentialId: string;
  readonly upstreamModel: string;
  readonly taskId: string | null;
}

export interface TaskPrice {
  /** Frozen at creation. */
  readonly secondQuota: number;
  readonly reservedSeconds: number;
  readonly maxQuota: number;
  /** Where the price is more than seconds of output: its rules and the sum, frozen too. */
  readonly terms?: PriceTerms;
}

/** What a task that is over costs; nothing unless it succeeded. */
export interface TaskBill {
  readonly seconds: number;
  readonly quota: number;
  /** What the quota is the sum of, where the price has terms. */
  readonly items?: readonly PriceItem[];
}

export interface TaskResult {
  /** Length of the stored file. */
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasAudio: boolean;
  readonly ratio: string;
  readonly resolution: string;
  readonly seed: number | null;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Of files that were taken in before it was looked for there is none. */
  readonly provenance?: Provenance;
  /** Of files that no poster was cut from there is none. */
  readonly hasPoster?: true;
}

/** What the stored file says about its own origin; nobody has checked that. */
export interface Provenance {
  /** Of a C2PA manifest; null where the file has none. */
  readonly c2pa: { readonly generator?: string; readonly signer?: string } | null;
  /** What the vendor's documents say is in its pictures. */
  readonly watermark: string | null;
}

/** What a vendor says that it charges for, as far as it says so. */
export interface VendorUsage {
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  /** Seconds that it charges, those of references included; may be a fraction. */
  readonly chargedSeconds?: number;
  /** The amount itself, as a decimal. */
  readonly cost?: { readonly amount: string; readonly currency: string };
}

/**
 * What the vendor made. Its links live as long as the vendor says and are never shown to a
 * customer.
 */
export interface VendorOutput extends VendorUsage {
  readonly videoUrl: string;
  /** The file is part of the vendor's own response at this address, and its adapter reads it out. */
  readonly isInline?: true;
  readonly lastFrameUrl?: string;
  /** Whole seconds, as the vendor reports them. */
  readonly seconds?: number;
  readonly ratio?: string;
  readonly resolution?: string;
  readonly seed?: number;
}

/** A file of a task in our own storage. */
export interface StoredMedia {
  readonly variant: MediaVariant;
  readonly storageKey: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export const mediaVariants = ['content', 'last-frame', 'poster'] as const;
export type MediaVariant = (typeof mediaVariants)[number];
/** The files that another video can be made from. */
export type SourceVariant = Exclude<MediaVariant, 'poster'>;

/** One video that a customer asked for: a row in Postgres. */
export interface Task {
  readonly id: string;
  readonly accountId: string;
  readonly model: string;
  readonly status: TaskStatus;
  readonly step: TaskStep;
  /** Fencing token: raised by every write, named by every write. */
  readonly epoch: number;
  /** Sequence number of the newest event. */
  readonly eventSequence: number;
  readonly request: VideoRequest;
  readonly vendor: TaskVendor;
  readonly vendorOutput: VendorOutput | null;
  /** Failures in a row of the present step, for its backoff. */
  readonly stepFailures: number;
  readonly price: TaskPrice;
  readonly billed: TaskBill | null;
  readonly failure: TaskFailure | null;
  readonly result: TaskResult | null;
  readonly callbackUrl: string | null;
  readonly requestId: string;
  readonly createdAt: Date;
  /** When it got its slot at the vendor; null while it waits in the queue. */
  readonly admittedAt: Date | null;
  readonly submittingAt: Date | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly expiresAt: Date;
  readonly retentionDays: number;
  /**
   * The customer asked for it to be cancelled and the vendor has not responded yet; null again once the
   * vendor has refused.
   */
  readonly cancelRequestedAt: Date | null;
  /** When its files stopped being offered, their retention time being over. */
  readonly mediaPurgedAt: Date | null;
}

/** What the API knows of a task when it creates one. */
export type NewTask = Pick<
  Task,
  | 'id'
  | 'accountId'
  | 'model'
  | 'request'
  | 'vendor'
  | 'price'
  | 'callbackUrl'
  | 'requestId'
  | 'retentionDays'
> & {
  readonly keyId: string;
  readonly expiresAfterSeconds: number;
  /**
   * W3C context of the request, for those who work on the task later; left out where nothing is
   * traced.
   */
  readonly traceparent?: string | undefined;
};
