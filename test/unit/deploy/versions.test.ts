import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { version as builtVersion } from '@gateway/runtime';
import { documentsOf, fileOf, manifestsOf, type Manifest } from './suite.ts';

const { version } = JSON.parse(fileOf('package.json')) as { version: string };
const [compose] = documentsOf(fileOf('docker-compose.yml')) as [Manifest];

/**
 * `postgres:17.7-bookworm` as `['postgres', '17.7-bookworm']`; a default of compose counts as what
 * is written.
 */
const partsOf = (image: string): [string, string] => {
  const plain = image.replace(/^\$\{\w+:-(.+)\}$/, '$1');
  const colon = plain.lastIndexOf(':');
  return [plain.slice(0, colon), plain.slice(colon + 1)];
};

/** Every image that the objects of a folder run, init containers too. */
const imagesOf = (folder: string, ...components: string[]): string[] =>
  manifestsOf(folder, ...components).flatMap(({ spec }) => {
    const { containers = [], initContainers = [] } = spec?.template?.spec ?? {};
    return [...containers, ...initContainers].map(({ image }: Manifest) => image as string);
  });

const inCompose: string[] = Object.values<Manifest>(compose.services).map(({ image }) => image);
const inTrial = imagesOf('overlays/dev');
const inProduction = imagesOf('overlays/production');
const isOurs = (image: string): boolean => /(^|\/)generation-gateway$/.test(partsOf(image)[0]);

describe('the version of the suite', () => {
  it('is that of package.json in every workspace', () => {
    const manifests = ['packages', 'services'].flatMap((folder) =>
      readdirSync(new URL(`../../../${folder}`, import.meta.url)).map(
        (name) => `${folder}/${name}/package.json`,
      ),
    );
    const others = manifests.filter(
      (file) => (JSON.parse(fileOf(file)) as { version: string }).version !== version,
    );

    expect(manifests.length).toBeGreaterThan(10);
    expect(others).toEqual([]);
  });

  it('is what a running process tells of itself', () => {
    expect(builtVersion).toBe(version);
  });

  it('is the tag of every image of ours in production', () => {
    const ours = inProduction.filter(isOurs);

    expect(ours.length).toBeGreaterThan(8);
    expect(new Set(ours.map((image) => partsOf(image)[1]))).toEqual(new Set([version]));
  });

  it('is replaced by `local` where the image is built on the spot, and nowhere else', () => {
    for (const images of [inCompose, inTrial]) {
      const ours = images.filter(isOurs);

      expect(ours.length).toBeGreaterThan(6);
      expect(new Set(ours.map((image) => partsOf(image)[1]))).toEqual(new Set(['local']));
    }
  });
});

describe('the images of others', () => {
  it('are each of one exact version, the same in compose and in Kubernetes', () => {
    const tags = new Map<string, Set<string>>();
    for (const [name, tag] of [...inCompose, ...inTrial, ...inProduction]
      .filter((image) => !isOurs(image))
      .map(partsOf)) {
      tags.set(name, (tags.get(name) ?? new Set()).add(tag));
    }

    expect([...tags.keys()]).toEqual(expect.arrayContaining(['postgres', 'redis']));
    expect(
      [...tags].filter(
        ([, found]) => found.size > 1 || ![...found].every((tag) => /^v?\d+\.\d+/.test(tag)),
      ),
    ).toEqual([]);
  });
});
