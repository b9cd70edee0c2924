export { countUnexpected, type FaultPlace } from './count.ts';
export { guarded, runAs } from './guarded.ts';
export { isUnexpected } from './is-unexpected.ts';
export { watchExceptions, type ExceptionWatch } from './watch-exceptions.ts';
