import {
  compileOnce,
  holdBatchLineSchema,
  holdResponseSchema,
  type HoldBatchLine,
  type HoldBatchRequest,
  type HoldFailure,
  type HoldRequest,
  type HoldResponse,
} from '@gateway/contracts';
import {
  isPassing,
  openBillingCalls,
  RefusedError,
  type BillingCallsOptions,
} from './billing-calls.ts';

/** A hold that is asked for, and for which request. */
export interface HoldAsk {
  readonly request: HoldRequest;
  /** `x-request-id` and `traceparent`, where there are. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One of several, which somebody waits for. */
export interface WaitingAsk extends HoldAsk {
  resolve(response: HoldResponse): void;
  reject(error: Error): void;
}

export interface HoldCalls {
  /** One attempt. */
  askAlone(ask: HoldAsk): Promise<HoldResponse>;
  /**
   * One attempt for several. Each is told as soon as billing has decided it; resolves when all are, and
   * rejects when it ends before. `refused`: billing would not take them together, and has begun nothing;
   * `unknown`: it is of a version that takes none together.
   */
  askTogether(asks: readonly WaitingAsk[]): Promise<'decided' | 'refused' | 'unknown'>;
}

/** A hold that billing itself refused for the moment, in its words. */
export class OverloadedError extends Error {}

const isHoldResponse = compileOnce<HoldResponse>(holdResponseSchema);
const isLine = compileOnce<HoldBatchLine>(holdBatchLineSchema);

export function createHoldCalls(options: BillingCallsOptions): HoldCalls {
  const call = openBillingCalls(options);
  const [postOne, postSeveral] = [call('internal/holds'), call('internal/holds/batch')];
  return {
    async askAlone({ request, headers }) {
      const { statusCode: status, body } = await postOne(JSON.stringify(request), headers);
      if (status !== 200) throw failureOf({ status, ...saidBy(await body.text()) });
      const response = await body.json();
      if (isHoldResponse(response)) return response;
      throw new RefusedError('billing returned something other than a hold response');
    },
    async askTogether(asks) {
      const { statusCode: status, body } = await postSeveral(bodyOf(asks), traceOf(asks));
      if (status === 200) {
        await takeLines(asks, body);
        return 'decided';
      }
      await body.dump();
      if (isPassing(status)) throw new Error('billing is not available');
      return status === 404 ? 'unknown' : 'refused';
    },
  };
}

const bodyOf = (asks: readonly HoldAsk[]): string =>
  JSON.stringify({
    holds: asks.map(({ request, headers }) => ({
      hold: request,
      ...(headers['x-request-id'] !== undefined && { request_id: headers['x-request-id'] }),
    })),
  } satisfies HoldBatchRequest);

/** None of them is sampled; where one names its trace, billing begins none of its own. */
function traceOf(asks: readonly HoldAsk[]): Readonly<Record<string, string>> {
  const traceparent = asks[0]?.headers['traceparent'];
  return traceparent === undefined ? {} : { traceparent };
}

/** Takes the lines as they come. Rejects when the response ends before each has its own. */
async function takeLines(
  asks: readonly WaitingAsk[],
  body: AsyncIterable<unknown> & { setEncoding(encoding: 'utf8'): void },
): Promise<void> {
  body.setEncoding('utf8');
  const open = new Set(asks.keys());
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = readLine(text);
      if (open.delete(line.index)) tell(asks[line.index], line);
    }
  }
  if (open.size > 0) throw new Error('billing did not respond for every hold');
}

function readLine(text: string): HoldBatchLine {
  const line: unknown = JSON.parse(text);
  if (isLine(line)) return line;
  throw new RefusedError('billing returned something other than hold responses');
}

function tell(ask: WaitingAsk | undefined, line: HoldBatchLine): void {
  if ('error' in line) ask?.reject(failureOf(line.error));
  else ask?.resolve({ outcome: line.outcome, available_quota: line.available_quota });
}

/** Told by its status whether it may be asked again. */
function failureOf({ status, code, message }: Partial<HoldFailure>): Error {
  if (code === 'overloaded' && message !== undefined) return new OverloadedError(message);
  const sentence = `billing answered ${status}${message === undefined ? '' : `: ${message}`}`;
  return isPassing(status ?? 0) ? new Error(sentence) : new RefusedError(sentence);
}

/** The error of a response of ours; nothing of one that is not. */
function saidBy(text: string): Partial<Pick<HoldFailure, 'code' | 'message'>> {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Record<string, unknown>> };
    const { code, message } = error ?? {};
    return {
      ...(typeof code === 'string' && { code }),
      ...(typeof message === 'string' && { message }),
    };
  } catch {
    return {};
  }
}
