import type { PGlite } from '@electric-sql/pglite';

/** What Emscripten keeps of a file or folder, in JavaScript. */
interface FileNode {
  name: string;
  parent: FileNode;
  mode: number;
  mtime: number;
  usedBytes: number;
  contents: Bytes | Record<string, FileNode> | null;
}

type Bytes = Uint8Array | Int8Array;

interface Stream {
  /** Null once it is closed. */
  fd: number | null;
  readonly shared: { position?: number };
}

interface FileSystem {
  readonly root: FileNode;
  streams: (Stream | null | undefined)[];
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  hashAddNode(node: FileNode): void;
  hashRemoveNode(node: FileNode): void;
}

interface Machine {
  readonly HEAPU8: Uint8Array;
  readonly FS: FileSystem;
}

/** A PostgreSQL of this process as it was at a moment, with every buffer, cache and plan. */
interface Snapshot {
  /** Back to that moment: a sixth of what emptying the tables takes. */
  restore(): void;
}

/** Between two statements: nothing of it is on a stack then. */
export function takeSnapshot(database: PGlite): Snapshot {
  const machine = database.Module as unknown as Machine;
  const memory = keepMemory(machine);
  const files = keepFiles(machine.FS);
  return {
    restore() {
      memory.restore();
      files.restore();
    },
  };
}

const chunkBytes = 65_536;
const zeros = Buffer.alloc(chunkBytes);

/** Most of it was never written to, and stays with the system. */
function keepMemory(machine: Machine): Snapshot {
  const chunks = new Map<number, Buffer>();
  const bytes = (): Buffer => Buffer.from(machine.HEAPU8.buffer);
  const isZero = (heap: Buffer, at: number): boolean =>
    heap.compare(zeros, 0, chunkBytes, at, at + chunkBytes) === 0;
  const now = bytes();
  for (let at = 0; at < now.length; at += chunkBytes) {
    if (!isZero(now, at)) chunks.set(at, Buffer.from(now.subarray(at, at + chunkBytes)));
  }
  return {
    restore() {
      // It may have grown; what it got was empty.
      const heap = bytes();
      for (let at = 0; at < heap.length; at += chunkBytes) {
        const chunk = chunks.get(at);
        if (chunk !== undefined) heap.set(chunk, at);
        else if (!isZero(heap, at)) heap.fill(0, at, at + chunkBytes);
      }
    },
  };
}

/** No time of a world. Whatever is done to a file sets its time. */
const untouched = 0;

function keepFiles(fs: FileSystem): Snapshot {
  const nodes = [...nodesUnder(fs, fs.root)].map((node) => keepNode(fs, node));
  const streams = [...fs.streams];
  const open = streams.flatMap((stream) =>
    stream ? [{ stream, fd: stream.fd, shared: { ...stream.shared } }] : [],
  );
  return {
    restore() {
      const changed = nodes.filter(({ isChanged }) => isChanged());
      for (const { clear } of changed) clear();
      for (const { refill } of changed) refill();
      fs.streams = [...streams];
      for (const { stream, fd, shared } of open) {
        stream.fd = fd;
        Object.assign(stream.shared, shared);
      }
    },
  };
}

function* nodesUnder(fs: FileSystem, node: FileNode): Generator<FileNode> {
  if (!fs.isDir(node.mode) && !fs.isFile(node.mode)) return;
  yield node;
  for (const child of childrenOf(fs, node)) yield* nodesUnder(fs, child);
}

const childrenOf = (fs: FileSystem, { mode, contents }: FileNode): FileNode[] =>
  fs.isDir(mode) ? Object.values(contents as Record<string, FileNode>) : [];

interface Kept {
  isChanged(): boolean;
  /** Takes what it has by now out of the table of all names. */
  clear(): void;
  refill(): void;
}

function keepNode(fs: FileSystem, node: FileNode): Kept {
  const { usedBytes, contents } = node;
  const isFolder = fs.isDir(node.mode);
  const bytes = isFolder ? null : (contents as Bytes | null)?.slice(0, usedBytes);
  const children = childrenOf(fs, node).map((child) => ({ child, name: child.name }));
  let last = contents;
  node.mtime = untouched;
  return {
    // Not everything that changes its length sets its time.
    isChanged: () =>
      node.mtime !== untouched || node.usedBytes !== usedBytes || node.contents !== last,
    clear() {
      for (const child of childrenOf(fs, node)) fs.hashRemoveNode(child);
    },
    refill() {
      node.mtime = untouched;
      if (isFolder) {
        for (const { child, name } of children) {
          Object.assign(child, { name, parent: node });
          fs.hashAddNode(child);
        }
        last = Object.fromEntries(children.map(({ child, name }) => [name, child]));
      } else {
        node.usedBytes = usedBytes;
        last = refilled(node.contents as Bytes | null, bytes);
      }
      node.contents = last;
    },
  };
}

/** In the same memory, where that is long enough. */
function refilled(now: Bytes | null, kept: Bytes | null | undefined): Bytes | null {
  if (!kept) return null;
  const bytes = now !== null && now.length >= kept.length ? now : new Int8Array(kept.length);
  bytes.set(kept);
  return bytes;
}
