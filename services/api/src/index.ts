export { createService, type ApiService } from './container.ts';
export { settingsSchema, type Settings } from './config.ts';
export { withoutNames } from './http/served-routes.ts';
export {
  buildDocument,
  documentParts,
  type DocumentPart,
  type OpenApiDocument,
} from './reference/document.ts';
export { codesIn, resolved, type DocumentedResponse } from './reference/documented-response.ts';
export {
  exampleLanguages,
  exampleRequests,
  examplesPage,
  type ExampleRequest,
} from './reference/examples/index.ts';
