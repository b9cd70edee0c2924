import { described, flag, named, oneOf } from './schema-of.ts';
import { largestPriority, serviceTiers, videoTasks } from './video-options.ts';

/** Fields that a resource has where the request had them. */
export const optionSchemas = {
  service_tier: described(
    named('ServiceTier', oneOf(serviceTiers)),
    'As sent at creation; only where it was.',
  ),
  draft: described(flag, 'As sent at creation; only where it was.'),
  priority: {
    type: 'integer',
    minimum: 0,
    maximum: largestPriority,
    description: 'As sent at creation; only where it was. Larger is sooner.',
  },
  task: described(
    named('VideoTask', oneOf(videoTasks)),
    'What is done to the source video; only where it was sent.',
  ),
} as const;
