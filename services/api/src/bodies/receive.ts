import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '@gateway/domain';
import { guarded } from '@gateway/runtime';
import type { BodyBudget, BodyShare } from './budget.ts';
import type { BodyGarbage } from './garbage.ts';
import { announcedBytes, headRefusal, lastResponse, tooLarge } from './head.ts';
import {
  freeMemory,
  freePiece,
  largestInlineBytes,
  LargeMemory,
  leastSlabBytes,
} from './memory.ts';
import type { BodyPace } from './pace.ts';
import { turnAway } from './turn-away.ts';

export interface BodyBounds {
  readonly limitBytes: number;
  /** For the whole of it, however steadily it comes. */
  readonly timeoutMs: number;
}

/** Watches many deadlines with one timer; the text lane has one. */
export interface BodyDeadlines {
  watch(item: { place: number; dueMs: number; expire(): void }): void;
  release(item: { place: number; dueMs: number; expire(): void }): void;
}

export interface ReceivePorts {
  readonly budget: BodyBudget;
  readonly pace: BodyPace;
  readonly garbage: BodyGarbage;
  readonly deadlines: BodyDeadlines;
}

export interface Arriving {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly accountId: string;
  readonly bounds: BodyBounds;
}

export interface Received {
  readonly bytes: Buffer;
  /** The request holds this many bytes by now. Throws rate_limit_exceeded or overloaded. */
  grow(sizeBytes: number): void;
  /** Gives the bytes back to the budget; the memory is freed by whoever holds it last. */
  release(): void;
}

/**
 * The whole body. Throws unsupported_media_type, payload_too_large, rate_limit_exceeded or
 * overloaded before reading, or at the byte that goes over; request_timeout when it takes too long,
 * and invalid_json when it ends early, also when that was before anybody listened.
 */
export function receiveBody(ports: ReceivePorts, arriving: Arriving): Promise<Received> {
  const { incoming, response } = arriving;
  let share: BodyShare;
  try {
    share = admitted(ports.budget, arriving);
  } catch (error) {
    return refuse(incoming, GatewayError.from(error));
  }
  sayContinue(incoming, response);
  return gather(ports, arriving, share);
}

/** How long a client waits to hear that its account has too much under way. */
const accountFullMs = 500;

/**
 * Each refusal costs the event loop as much as a small request, and whoever sends forty bodies at once
 * sends the next one as soon as it is told.
 */
async function refuse(incoming: IncomingMessage, refusal: GatewayError): Promise<never> {
  if (!incoming.complete) turnAway(incoming);
  if (refusal.code === 'rate_limit_exceeded') await pause(accountFullMs);
  throw refusal;
}

/** Throws what is known to be wrong before a byte is read. */
function admitted(
  budget: BodyBudget,
  { incoming, accountId, bounds: { limitBytes } }: Arriving,
): BodyShare {
  if (incoming.destroyed) throw endedEarly();
  const refusal = headRefusal(incoming.headers, limitBytes);
  if (refusal !== undefined) throw refusal;
  return budget.open(accountId, announcedBytes(incoming.headers));
}

/** Only now is the body wanted: a client that asks first has not sent it. */
export function sayContinue({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && !response.headersSent) response.writeContinue();
}

function gather(
  { deadlines, pace, garbage }: ReceivePorts,
  { incoming, accountId, bounds: { limitBytes, timeoutMs } }: Arriving,
  share: BodyShare,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const gathering = new Gathering(announcedBytes(incoming.headers), limitBytes);
    let isOver = false;
    const deadline = {
      place: -1,
      dueMs: performance.now() + timeoutMs,
      expire: () => {
        giveUp(tooSlow(timeoutMs));
      },
    };
    const giveUp = (error: GatewayError): void => {
      if (isOver) return;
      isOver = true;
      deadlines.release(deadline);
      gathering.free();
      share.release();
      refuse(incoming, error).catch(reject);
    };
    deadlines.watch(deadline);
    const take = (chunk: Buffer): void => {
      if (isOver) return;
      const pieceBytes = chunk.length;
      const sizeBytes = gathering.sizeBytes + pieceBytes;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      share.grow(sizeBytes);
      if (!gathering.add(chunk)) garbage.read(pieceBytes);
      if (sizeBytes > largestInlineBytes) {
        pauseFor(incoming, pace.read(accountId, pieceBytes));
      }
    };
    const finish = (): void => {
      if (isOver) return;
      isOver = true;
      deadlines.release(deadline);
      resolve({ bytes: gathering.whole(), grow: share.grow, release: share.release });
    };
    // Every request is closed in the end; a failure costs a stack. A request that is complete may be
    // closed unread.
    const close = (cause?: Error): void => {
      if (!isOver) giveUp(endedEarly(cause));
    };
    const fail = (error: unknown): void => {
      giveUp(GatewayError.from(error));
    };
    incoming
      .on('data', guarded(fail, take))
      .on('end', guarded(fail, finish))
      .on('close', guarded(fail, close))
      .on('error', guarded(fail, close));
  });
}

function pauseFor(incoming: IncomingMessage, ms: number): void {
  // A timer has no finer steps; what is left over is waited for with the next piece.
  if (ms < 1) return;
  incoming.pause();
  setTimeout(() => incoming.resume(), ms).unref();
}

/** A piece of one byte takes some hundred bytes of memory. */
const mostChunks = 64;

/** Small bodies stay in the pieces they came in; large ones get memory of their own. */
class Gathering {
  sizeBytes = 0;
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #large: LargeMemory | undefined;

  constructor(announced: number, limitBytes: number) {
    this.#limitBytes = announced === 0 ? limitBytes : announced;
    if (announced > leastSlabBytes) this.#large = new LargeMemory(announced);
  }

  /** Returns whether the memory of the piece is free again, and the piece empty. */
  add(chunk: Buffer): boolean {
    this.sizeBytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#large === undefined) {
      if (this.sizeBytes <= largestInlineBytes && this.#chunks.length < mostChunks) return false;
      this.#large = new LargeMemory(this.#limitBytes);
    }
    return this.#moveTo(this.#large);
  }

  #moveTo(large: LargeMemory): boolean {
    let areFree = true;
    for (const chunk of this.#chunks) {
      large.add(chunk);
      areFree = freePiece(chunk) && areFree;
    }
    this.#chunks.length = 0;
    return areFree;
  }

  whole(): Buffer {
    if (this.#large !== undefined) return this.#large.whole();
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  free(): void {
    this.#chunks = [];
    if (this.#large !== undefined) freeMemory(this.#large.whole());
  }
}

const tooSlow = (timeoutMs: number): GatewayError =>
  new GatewayError(
    'request_timeout',
    `the body did not arrive within ${timeoutMs} ms; send it faster`,
    lastResponse,
  );

const endedEarly = (cause?: Error): GatewayError =>
  new GatewayError('invalid_json', 'the body ended early', { cause });
