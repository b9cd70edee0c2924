// Writes from the OpenAPI document the types of the TypeScript client, what agents are told of its
// requests, the page of examples, and the programs below the curl commands of the other pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { clientTypes } from './client-types/client-types.mjs';
import { toolSchema } from './client-types/tool-schema.mjs';
import { pagesWithExamples, withExamples } from './page-examples/page-examples.mjs';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';
import { ensureSetup } from './setup.mjs';

const help = `npm run generate:client-types: writes packages/client/src/schema.ts,
packages/mcp/src/video-request-fields.ts and docs/examples.md from the OpenAPI document, and the
programs below the curl commands of README.md and the other pages of docs/.
`;

try {
  readArguments(help, {});
  await ensureSetup();
  const { buildDocument, exampleLanguages, examplesPage } = await import(
    new URL('../services/api/dist/index.js', import.meta.url).href
  );
  const target = new URL('../packages/client/src/schema.ts', import.meta.url);
  const partOf = (part) => buildDocument({ baseUrl: 'http://localhost:3000', version: '0', part });
  writeFileSync(target, await clientTypes(partOf('client')));
  writeFileSync(
    new URL('../packages/mcp/src/video-request-fields.ts', import.meta.url),
    await toolSchema(partOf('video')),
  );
  const document = buildDocument({ baseUrl: 'http://localhost:3000', version: '0' });
  writeFileSync(new URL('../docs/examples.md', import.meta.url), examplesPage(document));
  for (const page of pagesWithExamples()) {
    const reference = { document, languages: exampleLanguages };
    writeFileSync(page, withExamples(readFileSync(page, 'utf8'), reference));
  }
} catch (error) {
  endWith(error);
}
