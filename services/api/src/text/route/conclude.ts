import { readTopLevel, readUpstreamFailure, type UpstreamFailure } from '@gateway/text-dialects';
import { answerHeaders, retryAdvice, sendFailure, sendWhole } from '../client/index.ts';
import type { Exchange } from '../request/index.ts';
import type { CallFailure, RouteCall } from '../upstream/index.ts';
import type { WholeAnswer } from './whole-response.ts';

/** Both dialects keep their failures there; clients find nothing in any other shape. */
const saysError = (body: Buffer): boolean => readTopLevel(body, ['error']).spans.length > 0;

/**
 * The upstream's own refusal, when nothing else is to be tried. Same dialect: its bytes, unless
 * they are no error of either dialect or speak of a key that is not the client's.
 */
export function refuse(
  exchange: Exchange,
  { head, body, call: { rendered, provider, downstream } }: WholeAnswer,
): void {
  const failure = readUpstreamFailure({
    dialect: provider.kind,
    status: head.status,
    headers: head.headers,
    body,
  });
  exchange.facts.failed = true;
  exchange.facts.error = failure.code;
  if (downstream.opened) {
    downstream.fail(failure);
    downstream.close();
    return;
  }
  if (
    rendered.memory !== null ||
    head.status < 400 ||
    head.status === 401 ||
    !/json/i.test(head.headers['content-type'] ?? '') ||
    !saysError(body)
  ) {
    sendFailure(exchange, failure);
    return;
  }
  const advice = retryAdvice(exchange, head.status);
  const headers = [...advice];
  answerHeaders(
    advice.length === 0 ? head.headers : { ...head.headers, 'x-should-retry': undefined },
    headers,
  );
  sendWhole(exchange, { status: head.status, headers, body });
}

const ofCallFailure: Readonly<
  Record<Exclude<CallFailure['kind'], 'refused'>, Pick<UpstreamFailure, 'status' | 'code'>>
> = {
  unreachable: { status: 502, code: 'server_error' },
  broken: { status: 502, code: 'server_error' },
  timeout: { status: 504, code: 'timeout' },
  aborted: { status: 503, code: 'overloaded' },
};

/**
 * A failure without an answer of the upstream: what the client is told keeps addresses to itself.
 */
export function answerFailure(
  exchange: Exchange,
  failure: CallFailure | UpstreamFailure,
  { downstream }: Pick<RouteCall, 'downstream'>,
): void {
  const told: UpstreamFailure =
    'code' in failure
      ? failure
      : failure.kind === 'refused'
        ? {
            status: failure.status,
            code: 'server_error',
            message: 'the upstream refused the request',
          }
        : { ...ofCallFailure[failure.kind], message: sentences[failure.kind] };
  exchange.facts.failed = true;
  exchange.facts.error = told.code;
  if (!downstream.opened) {
    sendFailure(exchange, told);
    return;
  }
  downstream.fail(told);
  downstream.close();
}

const sentences: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, string>> = {
  unreachable: 'the upstream cannot be reached; try again',
  broken: 'the upstream broke the connection before it answered; try again',
  timeout: 'the upstream did not answer in time; try again',
  aborted: 'the gateway is restarting; send the request again',
};
