import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import type { ExampleRequest } from './requests.ts';
import { typescriptOf } from './typescript.ts';

export { examplesPage } from './examples-page.ts';
export { exampleRequests, type ExampleRequest } from './requests.ts';

/** The languages that the reference shows its examples in, all made from the same requests. */
export const exampleLanguages: Readonly<
  Record<string, (baseUrl: string, request: ExampleRequest) => string>
> = { curl: curlOf, TypeScript: typescriptOf, Python: pythonOf };
