import type { GatewayError } from '@gateway/domain';
import { gatewayErrorBody } from '@gateway/text-dialects';
import { matchTextPath } from '../request/index.ts';

/** The error body of a path, for requests that never reached its handler. */
export const refusalBody = (
  error: GatewayError,
  { path, requestId }: { readonly path: string; readonly requestId: string },
): unknown =>
  gatewayErrorBody({ dialect: matchTextPath(path)?.dialect ?? 'chat', error, requestId }).body;
