import { readText, readVendorTaskId, type UncheckedRecord } from '../vendor-value.ts';

/** A request in the queue: it can be asked for only below the application that it was sent to. */
export interface QueuedRequest {
  readonly app: string;
  readonly requestId: string;
}

const requestPath = /^\/([A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)*)\/requests\/([^/]+)\/?$/;

/**
 * Our id of a request: application and request. The response says under which path it is found, of
 * which only the path below our base is believed: the host stays ours. Without one it is the first two segments of
 * the endpoint, whose rest the vendor drops.
 */
export function taskIdOf(
  body: UncheckedRecord | undefined,
  { endpointPath, basePath }: { readonly endpointPath: string; readonly basePath: string },
): string | undefined {
  const requestId = readVendorTaskId(body?.['request_id']);
  if (requestId === undefined || requestId.includes('/')) return undefined;
  const app =
    appIn(readText(body?.['response_url']), { requestId, basePath }) ??
    endpointPath.split('/').filter(Boolean).slice(0, 2).join('/');
  return readVendorTaskId(`${app}/${requestId}`);
}

function appIn(
  address: string | undefined,
  { requestId, basePath }: { readonly requestId: string; readonly basePath: string },
): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { pathname } = new URL(address);
  const below = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  const [, app, named] = requestPath.exec(below) ?? [];
  return named === requestId ? app : undefined;
}

/** The parts of such an id. */
export function readTaskId(vendorTaskId: string): QueuedRequest {
  const slash = vendorTaskId.lastIndexOf('/');
  return { app: vendorTaskId.slice(0, slash), requestId: vendorTaskId.slice(slash + 1) };
}

/** The path of the request, which is its result too. */
export const pathOf = ({ app, requestId }: QueuedRequest): string =>
  `/${app.split('/').map(encodeURIComponent).join('/')}/requests/${encodeURIComponent(requestId)}`;
