import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { highestOf, quantileOf } from '../statistics.ts';
import { serveJobs } from './child-process.ts';
import type { CustomerJob, CustomerResult } from './protocol.ts';

/** The customer whose requests must not notice anybody else's: a process of its own. */

const callers = 4;
/** Between two requests of a caller: a customer, not a load test. */
const pauseMs = 20;
/** Between two requests of 300 kB, which one more caller makes. */
const mediumPauseMs = 250;
/** A request that is not over by then has failed, and counts with this time. */
const timeoutMs = 15_000;

interface CustomerRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

serveJobs((job) => (job.kind === 'customer' ? runCustomer(job) : Promise.resolve(undefined)));

async function runCustomer(job: CustomerJob): Promise<CustomerResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers + 1 });
  const small = [textRequest(job.model, 'Say something short.'), listRequest];
  const medium = [textRequest(job.model, 'word '.repeat(60_000))];
  const times: number[] = [];
  const mediumTimes: number[] = [];
  let failed = 0;
  let firstFailure: string | undefined;
  const until = performance.now() + job.seconds * 1_000;
  const call = async (
    requests: readonly CustomerRequest[],
    into: number[],
    pause: number,
  ): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn += 1) {
      const sentAt = performance.now();
      const outcome = await send(job, agent, requests[turn % requests.length] ?? listRequest);
      into.push(performance.now() - sentAt);
      if (outcome !== '200') {
        failed += 1;
        firstFailure ??= outcome;
      }
      await sleep(pause);
    }
  };
  await Promise.all([
    ...Array.from({ length: callers }, () => call(small, times, pauseMs)),
    call(medium, mediumTimes, mediumPauseMs),
  ]);
  agent.destroy();
  return {
    requests: times.length + mediumTimes.length,
    failed,
    firstFailure,
    p50Ms: quantileOf(times, 0.5),
    p99Ms: quantileOf(times, 0.99),
    maxMs: highestOf(times),
    mediumP50Ms: quantileOf(mediumTimes, 0.5),
  };
}

const listRequest: CustomerRequest = { method: 'GET', path: '/v1/videos?limit=1' };

const textRequest = (model: string, content: string): CustomerRequest => ({
  method: 'POST',
  path: '/v1/messages',
  body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content }] }),
});

/** The status, with the beginning of the body if it is not 200; what went wrong if there is none. */
function send(
  { url, apiKey }: CustomerJob,
  agent: Agent,
  { method, path, body }: CustomerRequest,
): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(
      `${url}${path}`,
      {
        method,
        agent,
        timeout: timeoutMs,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && {
            'content-type': 'application/json',
            'anthropic-version': '2023-06-01',
            'content-length': Buffer.byteLength(body),
          }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (response.statusCode !== 200) text += chunk;
        });
        response.once('end', () => {
          resolve(`${String(response.statusCode)} ${text.slice(0, 300)}`.trim());
        });
        response.once('error', (error) => {
          resolve(error.message);
        });
      },
    );
    outgoing.once('timeout', () => {
      outgoing.destroy(new Error(`no response within ${timeoutMs / 1_000} s`));
    });
    outgoing.once('error', (error) => {
      resolve(error.message);
    });
    outgoing.end(body);
  });
}
