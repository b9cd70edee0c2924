import type { VendorCapabilities, VideoVendorBounds } from '@gateway/contracts';
import type { ProviderConnection, VideoProvider } from './port.ts';

/** Everything of a vendor but its simulator. */
export interface VideoVendor {
  /** Its name in `providers.*.kind` of the configuration. */
  readonly kind: string;
  /** What its format can carry: the operator's models are held against it. */
  readonly bounds: VideoVendorBounds;
  /** What its format can express: customers' requests are held against it. */
  readonly capabilities: VendorCapabilities;
  /** A provider for one account. It opens no connection until it is used. */
  readonly create: (connection: ProviderConnection) => VideoProvider;
  /** The invisible mark that its documents say is in every picture. */
  readonly watermark?: string;
  /**
   * A GET that costs nothing and needs the credential, below the base URL, for the doctor. Left out:
   * there is none.
   */
  readonly credentialCheck?: (connection: Pick<ProviderConnection, 'apiKey'>) => CredentialCheck;
}

export interface CredentialCheck {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses that refuse the credential, beside those that do so everywhere. */
  readonly refusals?: readonly number[];
}

/** A credential check of a vendor that takes its key as a bearer token. */
export const checkWithBearer =
  (path: string): NonNullable<VideoVendor['credentialCheck']> =>
  ({ apiKey }) => ({ path, headers: { authorization: `Bearer ${apiKey}` } });
