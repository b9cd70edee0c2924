// Makes the OpenAPI document the one that later ones are compared with.
import { writeFileSync } from 'node:fs';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup } from './setup.mjs';

const help = `npm run accept:openapi: writes openapi/released.json, with which a test compares every later OpenAPI
document. Run it with a release, or to accept a change that breaks clients on purpose.
`;

try {
  readArguments(help, {});
  await ensureSetup();
  const { buildDocument } = await import(
    new URL('../services/api/dist/index.js', import.meta.url).href
  );
  const target = new URL('../openapi/released.json', import.meta.url);
  const document = buildDocument({ baseUrl: 'http://localhost:3000', version: '0' });
  writeFileSync(target, `${JSON.stringify(document)}\n`);
} catch (error) {
  endWith(error);
}
