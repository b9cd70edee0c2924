import openapiTypescript, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

const banner =
  '// Made from the OpenAPI document by "npm run generate:client-types". Do not edit.\n\n';

/** The types of a document's schemas and operations, as TypeScript of this repository's form. */
export async function clientTypes(document) {
  // It changes what it is given.
  const types = astToString(
    await openapiTypescript(structuredClone(document), { immutable: true, alphabetize: false }),
  );
  const options = await resolveConfig(new URL('../../package.json', import.meta.url));
  return format(banner + types, { ...options, parser: 'typescript' });
}
