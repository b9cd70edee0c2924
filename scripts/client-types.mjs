// Writes from the OpenAPI document the types of the TypeScript client, what agents are told of its
// requests, and the page of examples.
import { writeFileSync } from 'node:fs';
import { clientTypes } from './client-types/client-types.mjs';
import { toolSchema } from './client-types/tool-schema.mjs';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup } from './setup.mjs';

const help = `npm run generate:client-types: writes packages/client/src/schema.ts,
packages/mcp/src/video-request-fields.ts and docs/examples.md from the OpenAPI document.
`;

try {
  readArguments(help, {});
  await ensureSetup();
  const { buildDocument, examplesPage } = await import(
    new URL('../services/api/dist/index.js', import.meta.url).href
  );
  const target = new URL('../packages/client/src/schema.ts', import.meta.url);
  const partOf = (part) => buildDocument({ baseUrl: 'http://localhost:3000', version: '0', part });
  writeFileSync(target, await clientTypes(partOf('client')));
  writeFileSync(
    new URL('../packages/mcp/src/video-request-fields.ts', import.meta.url),
    await toolSchema(partOf('video')),
  );
  writeFileSync(
    new URL('../docs/examples.md', import.meta.url),
    examplesPage(buildDocument({ baseUrl: 'http://localhost:3000', version: '0' })),
  );
} catch (error) {
  endWith(error);
}
