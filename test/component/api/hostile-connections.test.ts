import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import request from 'supertest';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey } = await api.aKey());
});
afterAll(async () => {
  await api.close();
});

interface RawResponse {
  readonly status: number;
  readonly headers: string;
  readonly body: unknown;
}

/** What the service returns for these bytes, until it closes the connection. */
const send = (bytes: string): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
    });
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
      })
      .on('error', reject)
      .on('close', () => {
        const [headers = '', body = ''] = text.split('\r\n\r\n');
        resolve({
          status: Number(headers.split(' ')[1]),
          headers: headers.toLowerCase(),
          body: JSON.parse(body) as unknown,
        });
      });
  });

const manyHeaders = `x-filler: ${'x'.repeat(20_000)}\r\n`;

describe('a request that is no HTTP', () => {
  it.each([
    ['no request line', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'a header without a name',
      'GET /v1/videos HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'two lengths',
      'POST /v1/videos HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'length and chunks at once',
      'POST /v1/videos HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers that are too large',
      `GET /v1/videos HTTP/1.1\r\nhost: x\r\n${manyHeaders}\r\n`,
      431,
      'headers_too_large',
    ],
  ])('(%s) gets the error body', async (_name, bytes, status, code) => {
    const response = await send(bytes);

    expect(response.status).toBe(status);
    expect(response.headers).toContain('content-type: application/json');
    expect(response.headers).toContain('connection: close');
    expect(response.headers).toMatch(/x-request-id: req_\w+/);
    expect(response.body).toEqual({
      error: { code, type: 'invalid_request_error', message: expect.any(String), param: null },
    });
  });

  it('gets it in the dialect of its route', async () => {
    const { status, body } = await send(
      `POST /v1/messages HTTP/1.1\r\nhost: x\r\n${manyHeaders}\r\n`,
    );

    expect(status).toBe(431);
    expect(body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.any(String) },
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('does not keep the service from responding to others', async () => {
    await request(api.url).get('/v1/videos').set('x-api-key', apiKey).expect(200);
  });
});
