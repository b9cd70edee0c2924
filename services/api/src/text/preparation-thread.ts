import { parentPort } from 'node:worker_threads';
import { GatewayError, describeError } from '@gateway/domain';
import { RequestBody } from './prepare.ts';
import type { ThreadAnswer, ThreadRequest } from './preparation.ts';

function answer({ id, bytes, task }: ThreadRequest): ThreadAnswer {
  try {
    const body = new RequestBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (task.kind === 'count') return { id, value: body.count() };
    return { id, value: task.kind === 'inspect' ? body.inspect(task) : body.render(task) };
  } catch (error) {
    if (!GatewayError.is(error)) return { id, failure: describeError(error) };
    const { code, message, param, details } = error;
    return { id, refusal: { code, message, param, details } };
  }
}

parentPort?.on('message', (request: ThreadRequest) => { parentPort?.postMessage(answer(request)); });
