import { get } from 'node:http';

const probeTimeoutMs = 2_000;

/** Undefined when the address returns 200, else in words why it does not. */
export function whyNotResponding(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: probeTimeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body = (body + chunk).slice(0, 500);
      });
      response.on('error', (error) => {
        resolve(error.message);
      });
      response.on('end', () => {
        resolve(
          response.statusCode === 200
            ? undefined
            : `${url} returns ${response.statusCode ?? 0} ${body.trim()}`,
        );
      });
    });
    request.on('timeout', () => request.destroy(new Error('no response in time')));
    request.on('error', (error) => {
      resolve(`${url}: ${error.message}`);
    });
  });
}
