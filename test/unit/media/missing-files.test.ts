import { describe, expect, it } from '@jest/globals';
import { createSeenKeys, findMissing, mostMissing, type NamedFile } from '@gateway/media';

const fileOf = (index: number): NamedFile => ({ id: `video_${index}`, key: `videos/${index}` });
const filesTo = (count: number): NamedFile[] =>
  Array.from({ length: count }, (_unused, index) => fileOf(index));

/** Rows that name `named`, over a storage that listed some files and has some. */
async function search({
  named,
  listed,
  stored = listed,
  forgotten = [],
}: {
  named: readonly NamedFile[];
  listed: readonly NamedFile[];
  stored?: readonly NamedFile[];
  /** Rows that go while the search is under way. */
  forgotten?: readonly string[];
}) {
  const seen = createSeenKeys();
  for (const { key } of listed) seen.add(key);
  const keys = new Set(stored.map(({ key }) => key));
  let asked = 0;
  const missing = await findMissing(seen, {
    named: {
      async *pages() {
        await Promise.resolve();
        for (let at = 0; at < named.length; at += 100) yield named.slice(at, at + 100);
      },
      stillNamed: (files) => Promise.resolve(files.filter(({ id }) => !forgotten.includes(id))),
    },
    exists: (key) => {
      asked += 1;
      return Promise.resolve(keys.has(key));
    },
  });
  return { missing, asked };
}

describe('looking for files that rows name', () => {
  it('asks for none of those that were listed', async () => {
    const files = filesTo(5_000);

    expect(await search({ named: files, listed: files })).toEqual({ missing: [], asked: 0 });
  });

  it('finds each of those that are gone', async () => {
    const files = filesTo(1_000);
    const gone = new Set(['video_3', 'video_517', 'video_999']);

    const { missing } = await search({
      named: files,
      listed: files.filter(({ id }) => !gone.has(id)),
    });

    expect(missing.map(({ id }) => id)).toEqual([...gone]);
  });

  it('takes none for missing that was stored after the list, or whose row is gone by then', async () => {
    const { missing } = await search({
      named: filesTo(3),
      listed: [fileOf(0)],
      stored: [fileOf(0), fileOf(1)],
      forgotten: ['video_2'],
    });

    expect(missing).toEqual([]);
  });

  it('ends when so many are missing that the storage is the wrong one', async () => {
    const { missing, asked } = await search({ named: filesTo(5_000), listed: [] });

    expect(missing).toHaveLength(mostMissing);
    expect(asked).toBeLessThan(mostMissing + 200);
  });
});
