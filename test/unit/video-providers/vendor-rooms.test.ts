import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { videoVendors } from '@gateway/video-providers';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Sources of packages and services, by path from the root, with what they say. */
const sources: ReadonlyMap<string, string> = new Map(
  ['packages', 'services']
    .flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}/src`))
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => `${entry.parentPath}${sep}${entry.name}`),
    )
    .map((file) => [
      relative(root, file).replaceAll(sep, '/'),
      readFileSync(file, 'utf8').toLowerCase(),
    ]),
);

const registries = [
  'packages/video-providers/src/registry.ts',
  'services/sandbox-vendor/src/registry.ts',
];
const roomsOf = (kind: string): readonly string[] => [
  `packages/video-providers/src/${kind}/`,
  `services/sandbox-vendor/src/${kind}/`,
];

/**
 * MiniMax is a vendor of text too, with differences that the text dialects know, and one host names
 * the models that it carries by their makers.
 */
const knowsMiniMax = [
  'packages/contracts/src/text-vendors.ts',
  'packages/text-dialects/src/chat/vendor-presets.ts',
  'packages/text-dialects/src/messages/vendor-presets.ts',
  'packages/text-dialects/src/wire/failure-shapes.ts',
  'packages/text-dialects/src/wire/overflow.ts',
  'packages/text-dialects/src/wire/read-failure.ts',
  'packages/video-providers/src/fal/families.ts',
];

describe.each(Object.keys(videoVendors))('the vendor %s', (kind) => {
  it.each(roomsOf(kind))('has the room %s with a vendor.ts', (room) => {
    expect([...sources.keys()]).toContain(`${room}vendor.ts`);
  });
});

describe.each([
  { kind: 'minimax', name: /minimax/, elsewhere: knowsMiniMax },
  { kind: 'runway', name: /runway/, elsewhere: [] },
  { kind: 'openai-videos', name: /openai.?videos/, elsewhere: [] },
])('adding a vendor such as $kind', ({ kind, name, elsewhere }) => {
  it('touches two rooms and two lines', () => {
    const named = [...sources]
      .filter(([path, text]) => name.test(text) && !roomsOf(kind).some((r) => path.startsWith(r)))
      .map(([path]) => path);

    expect(named.sort()).toEqual([...elsewhere, ...registries].sort());
    for (const path of registries) {
      expect(
        sources
          .get(path)
          ?.split('\n')
          .filter((line) => name.test(line)),
      ).toHaveLength(1);
    }
  });
});
