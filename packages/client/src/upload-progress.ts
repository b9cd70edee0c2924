import type { Call } from './transport.ts';

type OnBytes = (bytes: number) => void;

/**
 * How a file is sent so that its progress can be seen. `fetch` tells only of a stream how much has
 * been taken, and browsers send no stream over HTTP/1: there it is `XMLHttpRequest`.
 */
export function sendWithProgress(blob: Blob, onBytes: OnBytes): Pick<Call, 'body' | 'send'> {
  if (typeof XMLHttpRequest === 'undefined') return { body: () => countedStream(blob, onBytes) };
  return {
    body: () => blob,
    send: (address, init) => viaXmlHttpRequest(address, { ...init, onBytes }),
  };
}

function countedStream(blob: Blob, onBytes: OnBytes): ReadableStream<Uint8Array> {
  let bytes = 0;
  return blob.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length;
        onBytes(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
}

function viaXmlHttpRequest(
  url: string,
  { method = 'POST', headers, body, signal, onBytes }: RequestInit & { onBytes: OnBytes },
): Promise<Response> {
  const request = new XMLHttpRequest();
  return new Promise<Response>((resolve, reject) => {
    const onAbort = (): void => {
      request.abort();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    request.open(method, url);
    request.responseType = 'text';
    new Headers(headers).forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    request.upload.onprogress = ({ loaded }) => {
      onBytes(loaded);
    };
    request.onerror = () => {
      reject(new TypeError('the upload broke off'));
    };
    request.onload = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(responseOf(request));
    };
    request.send(body as Blob);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { status, statusText, responseText } = request;
  return new Response(responseText, { status, statusText, headers });
}
