import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type { Asset, CallOptions, DeletedAsset } from './types.ts';
import { sendWithProgress } from './upload-progress.ts';

export interface UploadOptions extends CallOptions {
  /** What the asset is called; of a `File` its own name when left out. */
  readonly name?: string | undefined;
  /** Of the bytes; of a `Blob` its own type when left out. The gateway looks for itself. */
  readonly contentType?: string | undefined;
  /** Called as bytes leave; the last call says that all of them have left. */
  readonly onProgress?:
    ((progress: { readonly bytes: number; readonly size: number }) => void) | undefined;
}

const pathOf = (id: string): string => `/v1/assets/${encodeURIComponent(id)}`;

/** Images, clips and sounds to make videos from: `client.assets`. */
export class Assets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file. A lost response is not asked for again, since that could store the file twice;
   * a refusal that says "later" is.
   */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<Asset> {
    const { name, contentType, onProgress, signal } = options;
    const blob = file instanceof Blob ? file : new Blob([file]);
    const type = contentType ?? (blob.type === '' ? 'application/octet-stream' : blob.type);
    const ownName = 'name' in blob && typeof blob.name === 'string' ? blob.name : undefined;
    return this.#transport.json<Asset>({
      method: 'POST',
      path: '/v1/assets',
      query: { name: name ?? ownName },
      headers: { 'content-type': type },
      repeatable: 'if refused',
      signal,
      ...(onProgress === undefined
        ? { body: () => blob }
        : sendWithProgress(blob, (bytes) => {
            onProgress({ bytes, size: blob.size });
          })),
    });
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Asset> {
    return this.#transport.json<Asset>({ path: pathOf(id), signal });
  }

  /** Every asset of the account, newest first. */
  list(options: ListOptions = {}): List<Asset> {
    return listOf<Asset>(this.#transport, { path: '/v1/assets' }, options);
  }

  delete(id: string, { signal }: CallOptions = {}): Promise<DeletedAsset> {
    return this.#transport.json<DeletedAsset>({
      method: 'DELETE',
      path: pathOf(id),
      whenGone: { id, object: 'asset.deleted', deleted: true },
      signal,
    });
  }
}
