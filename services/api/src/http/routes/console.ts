import { Router, type Request, type RequestHandler, type Response } from 'express';
import { onlyMethods } from '../methods.ts';

/** A file of the console, as it is and compressed. */
export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

export interface ConsoleDeps {
  /** By path; `index.html` among them. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** Under which clients reach the gateway: the addresses of media begin with it. */
  readonly baseUrl: string;
}

/** Their names have a hash of what is in them. */
const forGood = 'public, max-age=31536000, immutable';
const askFirst = 'no-cache';

/** The console under `/console`; its pages are one file, which reads the address itself. */
export function consoleRoutes({ files, baseUrl }: ConsoleDeps): Router {
  const page = files.get('index.html');
  const policy = policyFor(new URL(baseUrl).origin);
  const send: RequestHandler = (request, response, next) => {
    const path = request.path.slice(1);
    const isAsset = path.startsWith('assets/');
    const file = isAsset ? files.get(path) : page;
    if (file === undefined) {
      next();
      return;
    }
    if (file === page) response.set(policy);
    response.set('cache-control', isAsset ? forGood : askFirst);
    sendFile(request, response, file);
  };
  const router = Router();
  router.use('/console', (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') void send(request, response, next);
    else onlyMethods('GET', 'HEAD')(request, response, next);
  });
  return router;
}

/** The smallest form that the client takes; a copy that is current is answered with 304. */
function sendFile(request: Request, response: Response, file: ConsoleFile): void {
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity');
  const compressed = encoding === 'br' || encoding === 'gzip' ? file[encoding] : undefined;
  response.vary('accept-encoding');
  response.set({
    'content-type': file.type,
    etag: file.etag,
    ...(compressed !== undefined && { 'content-encoding': String(encoding) }),
  });
  response.send(compressed ?? file.body);
}

/** Nothing from elsewhere, nothing inline; media may stand under another name of the gateway. */
const policyFor = (origin: string): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'self'",
    `img-src 'self' blob: ${origin}`,
    `media-src 'self' ${origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
});
