/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, it } from '@jest/globals';
import { models, onTextStage } from '../e2e/text-clients.ts';
import { hasPython, installPackages } from './python.ts';

const scripts = path.join(import.meta.dirname, 'python-clients');
const clients = [
  ['openai', 'openai_client.py'],
  ['openai-agents', 'agents_client.py'],
  ['anthropic', 'anthropic_client.py'],
] as const;

const [describeHere, why] = hasPython()
  ? [describe, '']
  : [describe.skip, ' (left out: there is no python3 of 3.11 or later with venv)'];

onTextStage((stage) => {
  describeHere(`official clients in Python${why}`, () => {
    let python: string;
    beforeAll(async () => {
      const requirements = path.join(scripts, 'requirements.txt');
      python = path.join(await installPackages('python-clients', requirements), 'python');
    }, 300_000);

    it.each(clients)('%s gets what it asks for, on every upstream', async (_name, script) => {
      // It ends with a traceback, which the error shows, when an assertion fails.
      await promisify(execFile)(python, [path.join(scripts, script)], {
        env: {
          PATH: process.env['PATH'],
          GATEWAY_URL: stage().rootUrl,
          GATEWAY_KEY: stage().customer.apiKey,
          MODELS: models.join(' '),
          PYTHONDONTWRITEBYTECODE: '1',
        },
      });
    });
  });
});
