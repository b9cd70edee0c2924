export { createAdmit, type Admit } from './admit.ts';
export { checkModel, checkQuota } from './check-model.ts';
export type { CompletionRequest } from './completion-request.ts';
export { createPreparation, type Preparation } from './preparation.ts';
export { receiveBody, type BodyBounds } from './receive-body.ts';
export { RequestBody, type Inspection, type Rendered } from './request-body.ts';
