import { isMany } from './judge.ts';
import { inlineBounds } from './light-body.ts';
import { largestInlineBytes } from './memory.ts';
import type { ThreadPool } from './pool.ts';
import { createSteps } from './steps.ts';
import type {
  ExpandCommand,
  InspectCommand,
  Inspection,
  ItemsCommand,
  RenderCommand,
  Rendered,
} from './text-commands.ts';
import type { RequestBody } from './text-body.ts';
import type { LeavingPiece, Work } from './work.ts';

/**
 * Reads and translates the bodies of text; of large ones the outline, of the largest in steps, and where
 * that is not enough the whole in a thread, so that no running stream waits for it.
 */
export interface Preparation {
  inspect(body: RequestBody, command: InspectCommand): Inspection | Promise<Inspection>;
  render(body: RequestBody, command: RenderCommand): Rendered | Promise<Rendered>;
  count(body: RequestBody): number | Promise<number>;
  expand(body: RequestBody, command: ExpandCommand): Buffer | Promise<Buffer>;
  items(body: RequestBody, command: ItemsCommand): readonly unknown[] | Promise<readonly unknown[]>;
}

/** Without a pool everything is done at once. */
export function createPreparation(pool: ThreadPool | undefined): Preparation {
  const steps = createSteps();
  const inThread = async (threads: ThreadPool, body: RequestBody, work: Work): Promise<unknown> => {
    const { value, bytes } = await threads.run(body.accountId, body.bytes, work);
    body.bytes = bytes;
    return value;
  };
  const isLarge = (body: RequestBody): boolean =>
    body.sizeBytes > largestInlineBytes || isMany(body.judge());
  const inspectWhole = (
    body: RequestBody,
    command: InspectCommand,
  ): Inspection | Promise<Inspection> => {
    if (pool === undefined || !isLarge(body)) return body.inspect(command);
    return inThread(pool, body, command).then((value) => {
      const inspection = value as Inspection;
      body.noteEstimate(inspection.promptTokens);
      return inspection;
    });
  };
  const renderWhole = (body: RequestBody, command: RenderCommand): Rendered | Promise<Rendered> => {
    if (pool === undefined || !isLarge(body)) return body.render(command);
    return inThread(pool, body, command).then((value) => arrived(body, value as LeavingRendered));
  };
  return {
    inspect(body, command) {
      if (!body.outline(command, inlineBounds)) return inspectWhole(body, command);
      const read = (): Inspection | Promise<Inspection> =>
        body.inspectOutline(command) ?? inspectWhole(body, command);
      return body.hasManyValues ? steps.run(body.accountId, read) : read();
    },
    render(body, command) {
      const write = (): Rendered | Promise<Rendered> =>
        body.renderLightly(command) ?? renderWhole(body, command);
      const isTranslated = command.upstream.dialect !== command.dialect;
      if (!body.hasManyValues || !isTranslated) return write();
      return steps
        .run(body.accountId, () => {
          body.translateLightly(command);
        })
        .then(() => steps.run(body.accountId, write));
    },
    count(body) {
      if (pool === undefined || !isLarge(body)) return body.count();
      return inThread(pool, body, { kind: 'count' }) as Promise<number>;
    },
    expand(body, command) {
      if (pool === undefined || !isLarge(body)) return body.expand(command);
      return inThread(pool, body, command).then((value) => {
        const { expanded } = value as { expanded: Uint8Array };
        return Buffer.from(expanded.buffer, expanded.byteOffset, expanded.byteLength);
      });
    },
    items(body, command) {
      if (pool === undefined || !isLarge(body)) return body.items(command);
      return inThread(pool, body, command) as Promise<readonly unknown[]>;
    },
  };
}

type LeavingRendered = Omit<Rendered, 'body'> & { readonly body: readonly LeavingPiece[] };

const arrived = (body: RequestBody, { body: pieces, ...rest }: LeavingRendered): Rendered => ({
  ...rest,
  body: pieces.map((piece) => arrivedPiece(body.bytes, piece)),
});

const arrivedPiece = (whole: Buffer, piece: LeavingPiece): Buffer =>
  piece instanceof Uint8Array
    ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    : whole.subarray(piece.start, piece.end);
