import type { GatewayError } from '@gateway/domain';
import { readTopLevel, readUpstreamFailure, type UpstreamFailure } from '@gateway/text-dialects';
import { forwardHeaders, retryAdvice, sendResponse, sendUpstreamFailure } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { CallFailure, UpstreamCall } from '../upstream/index.ts';
import type { WholeResponse } from './whole-response.ts';

/** Where all dialects keep their failures; clients look nowhere else. */
const hasError = (body: Buffer): boolean => readTopLevel(body, ['error']).spans.length > 0;

/**
 * Sends the upstream's own refusal, when nothing else is left to try. Same dialect: its bytes,
 * unless they are an error of no dialect or concern a key that is not the client's.
 */
export function sendRefusal(
  request: TextRequest,
  { head, body, call: { rendered, provider, clientStream } }: WholeResponse,
): void {
  const failure = readUpstreamFailure({
    dialect: provider.kind,
    status: head.status,
    headers: head.headers,
    body,
  });
  request.facts.failed = true;
  request.facts.error = failure.code;
  if (clientStream.opened) {
    clientStream.fail(failure);
    clientStream.close();
    return;
  }
  if (
    rendered.memory !== null ||
    head.status < 400 ||
    head.status === 401 ||
    !/json/i.test(head.headers['content-type'] ?? '') ||
    !hasError(body)
  ) {
    sendUpstreamFailure(request, failure);
    return;
  }
  const advice = retryAdvice(request, head.status);
  const headers = [...advice];
  forwardHeaders(
    advice.length === 0 ? head.headers : { ...head.headers, 'x-should-retry': undefined },
    headers,
  );
  sendResponse(request, { status: head.status, headers, body });
}

const ofCallFailure: Readonly<
  Record<Exclude<CallFailure['kind'], 'refused'>, Pick<UpstreamFailure, 'status' | 'code'>>
> = {
  unreachable: { status: 502, code: 'server_error' },
  broken: { status: 502, code: 'server_error' },
  timeout: { status: 504, code: 'timeout' },
  aborted: { status: 503, code: 'overloaded' },
};

/** Sends a failure without a response of the upstream, in words that give no address away. */
export function sendCallFailure(
  request: TextRequest,
  failure: CallFailure | UpstreamFailure,
  { clientStream }: Pick<UpstreamCall, 'clientStream'>,
): void {
  const sent: UpstreamFailure =
    'code' in failure
      ? failure
      : failure.kind === 'refused'
        ? {
            status: failure.status,
            code: 'server_error',
            message: 'the upstream refused the request',
          }
        : { ...ofCallFailure[failure.kind], message: sentences[failure.kind] };
  request.facts.failed = true;
  request.facts.error = sent.code;
  if (!clientStream.opened) {
    sendUpstreamFailure(request, sent);
    return;
  }
  clientStream.fail(sent);
  clientStream.close();
}

/** What the gateway itself refuses, as a stream says it that has begun. */
export const failureOf = ({ code, message }: GatewayError): UpstreamFailure =>
  code === 'upstream_unavailable'
    ? { status: 503, code: 'overloaded', message }
    : { status: 400, code: 'invalid_request', message };

const sentences: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, string>> = {
  unreachable: 'the upstream cannot be reached; try again',
  broken: 'the upstream broke the connection before it responded; try again',
  timeout: 'the upstream did not respond in time; try again',
  aborted: 'the gateway is restarting; send the request again',
};
