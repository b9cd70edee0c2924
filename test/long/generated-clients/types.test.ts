/** @workers 3: it promises no times. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildDocument } from '@gateway/api';
import { clientTypes } from '../../../scripts/client-types/client-types.mjs';

const file = path.resolve(import.meta.dirname, '../../../packages/client/src/schema.ts');

describe('the types of the TypeScript client', () => {
  it('are those of the document; "npm run build" and "npm run generate:client-types" renew them', async () => {
    const document = buildDocument({
      baseUrl: 'http://localhost:3000',
      version: '0',
      part: 'client',
    });

    expect(readFileSync(file, 'utf8')).toBe(await clientTypes(document));
  });
});
