import type { TaskFailureCode } from '@gateway/domain';
import type { ProviderConnection, VendorUsage, VideoProvider } from '@gateway/video-providers';
import type { SeenRequest, VendorCall, ScriptedResponse } from './scripted-vendor.ts';

/**
 * One vendor's wire format, as responses: what a new adapter has to write down before it may use the
 * suite.
 */
export interface VendorScript {
  /** Base URL of the API below the server's address, for instance `/api/v3`. */
  readonly basePath: string;
  /** An id of a task as the provider gives it, where that is more than the vendor's own. */
  readonly vendorTaskId?: string;
  readonly callOf: (request: SeenRequest) => VendorCall | undefined;
  /** The one header that carries the API key. */
  readonly keyHeader: { readonly name: string; readonly value: (apiKey: string) => string };
  readonly create: {
    readonly accepted: (vendorTaskId: string) => ScriptedResponse;
    /** Bad input, saying this sentence. */
    readonly refused: (sentence: string) => ScriptedResponse;
    readonly moderated: ScriptedResponse;
    readonly accountUnusable: ScriptedResponse;
    /** Too fast, with `Retry-After: 7`. */
    readonly busy: ScriptedResponse;
    /** A success without the id of a task. */
    readonly withoutId: ScriptedResponse;
    /** What a format that may put a refusal inside a 200 says there, by how it must be read. */
    readonly insideSuccess?: Readonly<
      Record<
        string,
        { readonly response: ScriptedResponse; readonly reads: Readonly<Record<string, unknown>> }
      >
    >;
  };
  /**
   * Of a vendor that gives no link: where the file of a finished task is, which only the key opens.
   */
  readonly fileUrl?: (baseUrl: string, vendorTaskId: string) => string;
  /** Of a vendor whose links open with the key only. */
  readonly filesNeedKey?: true;
  /** The largest response that is read, where that is more than usual. */
  readonly maxResponseBytes?: number;
  readonly task: {
    readonly queued: (vendorTaskId: string) => ScriptedResponse;
    readonly running: (vendorTaskId: string) => ScriptedResponse;
    readonly succeeded: (vendorTaskId: string, videoUrl: string) => ScriptedResponse;
    readonly withoutOutput: (vendorTaskId: string) => ScriptedResponse;
    readonly failed: (vendorTaskId: string) => ScriptedResponse;
    readonly moderated: (vendorTaskId: string) => ScriptedResponse;
    /** Absent for a vendor that gives up no task. */
    readonly expired?: (vendorTaskId: string) => ScriptedResponse;
    /** Absent for a vendor that cannot cancel. */
    readonly cancelled?: (vendorTaskId: string) => ScriptedResponse;
    /** Absent for a format without a status word. */
    readonly withStatus?: (vendorTaskId: string, status: string) => ScriptedResponse;
    readonly missing: ScriptedResponse;
    /** Finished videos whose charge the vendor states. */
    readonly charged?: Readonly<
      Record<
        string,
        {
          readonly response: (vendorTaskId: string, videoUrl: string) => ScriptedResponse;
          readonly usage: VendorUsage;
        }
      >
    >;
    /** Failures that the vendor charges for all the same. */
    readonly chargedFailures?: Readonly<
      Record<
        string,
        {
          readonly response: (vendorTaskId: string) => ScriptedResponse;
          readonly failure: TaskFailureCode;
          readonly usage: VendorUsage;
        }
      >
    >;
    /** Of a vendor that may put the file into its response: a finished task with this one. */
    readonly inline?: (vendorTaskId: string, bytes: Uint8Array) => ScriptedResponse;
    /** Other ways to say so. */
    readonly alsoMissing?: Readonly<Record<string, ScriptedResponse>>;
    /** Responses to a poll that this format has no meaning for. */
    readonly garbage: Readonly<Record<string, ScriptedResponse>>;
  };
  /** Absent for a vendor that has no means to look a lost submission up. */
  readonly list?: (
    tasks: readonly {
      readonly vendorTaskId: string;
      readonly correlation: string;
      readonly createdAt: Date;
    }[],
  ) => ScriptedResponse;
  /** Of a vendor that finds a task by its name, and has no list with the names of all. */
  readonly findsOnly?: true;
  /** Absent for a vendor that reports on one task at a time only. */
  readonly many?: {
    /** A list of these responses' tasks. */
    readonly list: (tasks: readonly ScriptedResponse[]) => ScriptedResponse;
    /** The ids that a request for a list asked about. */
    readonly askedFor: (request: SeenRequest) => readonly string[];
  };
  /** Absent for a vendor that cannot cancel. */
  readonly cancel?: {
    readonly done: ScriptedResponse;
    readonly refused: ScriptedResponse;
    /** Of a format that may put a refusal inside a 200. */
    readonly refusedInsideSuccess?: ScriptedResponse;
  };
}

export interface ProviderUnderTest {
  readonly script: VendorScript;
  readonly create: (connection: ProviderConnection) => VideoProvider;
}
