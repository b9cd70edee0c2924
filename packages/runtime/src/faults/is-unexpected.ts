import { failureOf } from '../http/failure-of.ts';

/** A refusal is expected, and so is a store that is away; what else is thrown is a fault of ours. */
export const isUnexpected = (thrown: unknown): boolean => failureOf(thrown).code === 'internal';
