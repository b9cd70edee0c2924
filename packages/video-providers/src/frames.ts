import type { Submission } from './port.ts';

type Reference = Submission['references'][number];

/** Whether a reference is the picture that a video begins or ends with. */
export const isFrame = ({ role }: Pick<Reference, 'role'>): boolean =>
  role === 'first_frame' || role === 'last_frame';

/** For vendors that tell frames apart by their order alone: the last one comes last. */
export const lastFrameLast = (references: readonly Reference[]): readonly Reference[] => [
  ...references.filter(({ role }) => role !== 'last_frame'),
  ...references.filter(({ role }) => role === 'last_frame'),
];
