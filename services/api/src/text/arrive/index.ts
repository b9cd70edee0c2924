export { beginInTurn } from './begin-in-turn.ts';
export { createAdmit, type Admit } from './admit.ts';
export { checkModel } from './check-model.ts';
export type { CompletionRequest } from './completion-request.ts';
export { resolveReferences } from './resolve-references.ts';
export { reservationNano } from './reservation-nano.ts';
export {
  RequestBody,
  type Bodies,
  type BodyBounds,
  type Inspection,
  type Preparation,
  type RenderCommand,
  type Rendered,
} from '../../bodies/index.ts';
