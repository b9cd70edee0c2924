export { createService, type ApiService } from './container.ts';
export { settingsSchema, type Settings } from './config.ts';
export { withoutNames } from './http/served-routes.ts';
export { buildDocument, type OpenApiDocument } from './reference/document.ts';
export { exampleRequests, type ExampleRequest } from './reference/curl.ts';
