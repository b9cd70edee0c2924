// Floors inside the api: the text lane, and the reader of bodies.
import { anyOf, forbid } from './floor-rules.mjs';

/** The folders of the text lane, from the lowest floor up: each imports those before it. */
const textLaneFloors = [
  'hot-path',
  'request',
  'arrive',
  'client',
  'upstream',
  'record',
  'turns',
  'route',
];

export const textLane = [
  ...textLaneFloors.map((folder, floor) =>
    forbid(
      `text-lane-${folder}`,
      'Folders of the text lane import those that stand before them in textLaneFloors only.',
      { path: `^services/api/src/text/${folder}/` },
      {
        path: '^services/api/src/text/',
        pathNot: `^services/api/src/text/${anyOf(textLaneFloors.slice(0, floor + 1))}/`,
      },
    ),
  ),
  ...textLaneFloors.map((folder) =>
    forbid(
      `text-lane-face-of-${folder}`,
      'A folder of the text lane is imported by its index.ts.',
      { path: '^services/', pathNot: `^services/api/src/text/${folder}/` },
      { path: `^services/api/src/text/${folder}/`, pathNot: '/index\\.ts$' },
    ),
  ),
  forbid(
    'text-lane-door',
    'The text lane is imported by its index.ts.',
    { path: '^services/api/', pathNot: '^services/api/src/text/' },
    { path: '^services/api/src/text/', pathNot: '^services/api/src/text/index\\.ts$' },
  ),
];

export const bodies = [
  forbid(
    'bodies-know-no-edge',
    'bodies/ reads JSON for every edge of the api and knows none of them.',
    { path: '^services/api/src/bodies/' },
    { path: '^services/api/src/', pathNot: '^services/api/src/bodies/' },
  ),
  forbid(
    'bodies-door',
    'bodies/ is imported by its index.ts.',
    { path: '^services/api/', pathNot: '^services/api/src/bodies/' },
    { path: '^services/api/src/bodies/', pathNot: '^services/api/src/bodies/index\\.ts$' },
  ),
];
