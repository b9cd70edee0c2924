import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import type { ExampleRequest } from './requests.ts';
import { typescriptOf } from './typescript.ts';

export { examplesPage } from './examples-page.ts';
export { exampleRequests, type ExampleRequest } from './requests.ts';

/**
 * The languages that the documentation shows its examples in, all made from the same requests.
 * Several requests become one program.
 */
export const exampleLanguages: Readonly<
  Record<string, (baseUrl: string, ...requests: readonly ExampleRequest[]) => string>
> = { curl: curlOf, TypeScript: typescriptOf, Python: pythonOf };
