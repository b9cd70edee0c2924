import { shapes, type Schema } from '@gateway/contracts';
import type { eventPage } from './feed-place.ts';

const { constant, described, flag, schemaOf, text } = shapes;

/** What happened behind a position in the feed of events, and where to go on. */
export const eventPageOf = (items: Schema, things: string): Schema =>
  schemaOf<ReturnType<typeof eventPage>>({
    object: constant('list'),
    data: shapes.listOf(items),
    last_id: described(text, 'Pass it as `after` to get what happens from now on.'),
    reset: described(
      flag,
      `Too much has happened since \`after\` to be told: read ${things} again, and go on from \`last_id\`.`,
    ),
    has_more: constant(false),
  });
