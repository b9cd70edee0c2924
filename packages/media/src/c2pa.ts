import { X509Certificate } from 'node:crypto';
import { boxesIn, type Box } from './mp4-boxes.ts';
import { readCbor, type Cbor } from './cbor.ts';

/** What a file says about its own origin. Nobody has checked its signature. */
export interface ContentCredentials {
  /** The program that made the newest claim, as it names itself. */
  readonly generator?: string;
  /** Who signed it: the organisation of its certificate, or the name. */
  readonly signer?: string;
}

/** Of a `uuid` box that holds C2PA (C2PA 2.1, A.5.1). */
const c2paUuid = 'd8fec3d61b0e483c92975828877ec481';
const uuidBytes = 16;
/** Version and flags; the purpose, which ends with a zero; the place of a Merkle box. */
const fullBoxBytes = 4;
const merkleBytes = 8;
const longestName = 200;

/** Whether this is the beginning of the content of a `uuid` box with C2PA in it. */
export const isC2pa = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, uuidBytes)).toString('hex') === c2paUuid;

/**
 * What the manifest in the content of such a box says: as much as can be read of it. What is broken
 * or strange is present all the same, and says nothing.
 */
export function readContentCredentials(content: Uint8Array): ContentCredentials {
  try {
    const manifest = newestManifest(manifestStoreIn(content));
    return manifest === undefined ? {} : { ...generatorOf(manifest), ...signerOf(manifest) };
  } catch {
    return {};
  }
}

function manifestStoreIn(content: Uint8Array): Uint8Array {
  const purpose = content.indexOf(0, uuidBytes + fullBoxBytes);
  if (purpose < 0) throw new Error('the purpose of the box has no end');
  return content.subarray(purpose + 1 + merkleBytes);
}

/** A superbox of JUMBF (ISO/IEC 19566-5): its label, and the boxes behind its description. */
interface Superbox {
  readonly label: string;
  readonly children: readonly Box[];
  readonly bytes: Uint8Array;
}

function superboxes(bytes: Uint8Array, boxes: readonly Box[]): Superbox[] {
  return boxes
    .filter(({ type }) => type === 'jumb')
    .map(({ contentStart, end }) => {
      const [description, ...children] = boxesIn(bytes, contentStart, end);
      return { label: labelOf(bytes, description), children, bytes };
    });
}

/** Behind the type, of 16 bytes, and the toggles. */
function labelOf(bytes: Uint8Array, description: Box | undefined): string {
  if (description?.type !== 'jumd') return '';
  const content = bytes.subarray(description.contentStart + uuidBytes + 1, description.end);
  const end = content.indexOf(0);
  return new TextDecoder().decode(end < 0 ? content : content.subarray(0, end));
}

const within = ({ bytes, children }: Superbox): Superbox[] => superboxes(bytes, children);

/** The last one in the store is the one in force. */
function newestManifest(store: Uint8Array): Superbox | undefined {
  const [whole] = superboxes(store, boxesIn(store, 0, store.length));
  return whole === undefined ? undefined : within(whole).at(-1);
}

function cborIn(manifest: Superbox, isLabel: (label: string) => boolean): Cbor | undefined {
  const box = within(manifest).find(({ label }) => isLabel(label));
  const content = box?.children.find(({ type }) => type === 'cbor');
  return content && readCbor(manifest.bytes.subarray(content.contentStart, content.end));
}

const field = (value: Cbor | undefined, name: Cbor): Cbor | undefined =>
  value instanceof Map ? (value as ReadonlyMap<Cbor, Cbor>).get(name) : undefined;

const nameOf = (value: Cbor | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, longestName) : undefined;

/** `claim_generator_info` is one map or a list of them; older claims have a text. */
function generatorOf(manifest: Superbox): Pick<ContentCredentials, 'generator'> {
  const claim = cborIn(manifest, (label) => /^c2pa\.claim(?:\.v2)?$/.test(label));
  const info = field(claim, 'claim_generator_info');
  const first = Array.isArray(info) ? (info as readonly Cbor[])[0] : info;
  const generator = nameOf(field(first, 'name')) ?? nameOf(field(claim, 'claim_generator'));
  return generator === undefined ? {} : { generator };
}

/** Of the headers of COSE (RFC 9360), by number or, in older files, by name. */
const chainNames: readonly Cbor[] = [33, 'x5chain'];

function signerOf(manifest: Superbox): Pick<ContentCredentials, 'signer'> {
  const signature = cborIn(manifest, (label) => label === 'c2pa.signature');
  if (!Array.isArray(signature)) return {};
  const [head, open] = signature as readonly Cbor[];
  const signed = head instanceof Uint8Array && head.length > 0 ? readCbor(head) : undefined;
  const chain = chainNames
    .flatMap((name) => [field(signed, name), field(open, name)])
    .find((found) => found !== undefined);
  const leaf = Array.isArray(chain) ? (chain as readonly Cbor[])[0] : chain;
  if (!(leaf instanceof Uint8Array)) return {};
  const { subject } = new X509Certificate(leaf);
  const signer = nameOf((/^O=(.+)$/m.exec(subject) ?? /^CN=(.+)$/m.exec(subject))?.[1]);
  return signer === undefined ? {} : { signer };
}
