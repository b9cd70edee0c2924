import { threadBounds } from './light-body.ts';
import { RequestBody } from './text-body.ts';
import type {
  CountCommand,
  ExpandCommand,
  InspectCommand,
  ItemsCommand,
  RenderCommand,
} from './text-commands.ts';
import { readVideoBody, type VideoCommand } from './video-body.ts';

/** What is asked of the bytes of one body. */
export type Work =
  InspectCommand | RenderCommand | CountCommand | ExpandCommand | ItemsCommand | VideoCommand;

/** What an outline is read for; its body was inspected before. */
const inspecting = { kind: 'inspect', operation: 'create', media: false } as const;

/** Pure work on bytes, in whichever thread; throws a GatewayError for a body that is refused. */
export function workOn(bytes: Buffer, work: Work): unknown {
  switch (work.kind) {
    case 'inspect': {
      const body = new RequestBody(bytes);
      const inspection = body.inspectLightly(work, threadBounds) ?? body.inspect(work);
      return { ...inspection, promptTokens: body.estimate() };
    }
    case 'render':
      return render(bytes, work);
    case 'count':
      return new RequestBody(bytes).count();
    case 'expand':
      // bytes alone would be taken for a list of them
      return { expanded: new RequestBody(bytes).expand(work) };
    case 'items':
      return new RequestBody(bytes).items(work);
    case 'video':
      return readVideoBody(bytes, work);
  }
}

function render(bytes: Buffer, command: RenderCommand): unknown {
  const body = new RequestBody(bytes);
  // What is passed on is read up to its model alone.
  if (command.upstream.dialect !== command.dialect) {
    body.inspectLightly({ ...inspecting, dialect: command.dialect }, threadBounds);
  }
  const rendered = body.renderLightly(command) ?? body.render(command);
  return { ...rendered, body: rendered.body.map((piece) => leavingPiece(bytes, piece)) };
}

/** A piece of what a thread rendered: new bytes, or where they stand in those that it was given. */
export type LeavingPiece = Uint8Array | { readonly start: number; readonly end: number };

function leavingPiece({ buffer, byteOffset }: Buffer, piece: Buffer): LeavingPiece {
  if (piece.buffer !== buffer) return piece;
  const start = piece.byteOffset - byteOffset;
  return { start, end: start + piece.length };
}
