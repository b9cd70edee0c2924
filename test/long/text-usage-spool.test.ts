import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { UsageBatch } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { eventually, openWire } from '@gateway/testing';
import { aUsageRecord } from '../integration/store/usage.ts';
import { behave, openTextStage, openUpstream } from '../component/api/text-stage.ts';

it('saves what another replica left, and leaves at once what it cannot save', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'spool-'));
  const left = { id: newId('usageBatch'), records: [aUsageRecord(newId('account'))] };
  await writeFile(path.join(folder, `${left.id}.json`), JSON.stringify(left));
  const upstream = await openUpstream(behave);
  let server = '';
  const wire = await openWire(() => server, 5432);
  const stage = await openTextStage({
    yaml: `
providers:
  c: { kind: chat, base_url: "${upstream.url}/v1", api_key: "\${KEY}" }
models:
  chat: { kind: text, routes: [{ provider: c, model: up-c }] }`,
    settings: { USAGE_SPOOL_DIR: folder },
    overWire: (url) => {
      server = url;
      return Object.assign(new URL(url), { port: wire.port }).href;
    },
  });
  const { apiKey } = await stage.aKey();
  const ask = async (): Promise<number> => {
    const response = await fetch(`${stage.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await response.text();
    return response.status;
  };
  expect(await ask()).toBe(200);
  const saved = await stage.usage(1);
  const { rows } = await stage.database.pool.query(
    'SELECT records FROM usage_batch WHERE id = $1',
    [left.id],
  );
  expect(rows).toEqual([{ records: left.records }]);
  await eventually(async () => {
    expect(await readdir(folder)).toEqual([]);
  });

  wire.cut();
  expect(await ask()).toBe(200);
  // Nobody stops it: a kill -9 would find nothing in memory from here on.
  await eventually(
    async () => {
      expect(await readdir(folder)).toHaveLength(1);
    },
    { withinMs: 10_000 },
  );
  await stage.stopApi();

  const files = await readdir(folder);
  expect(files).toHaveLength(1);
  const batch = JSON.parse(await readFile(path.join(folder, files[0]!), 'utf8')) as UsageBatch;
  expect(batch.records).toEqual([expect.objectContaining({ model: 'chat', output_tokens: 7 })]);
  expect(await stage.usage(1)).toEqual(saved);
  await stage.close();
  await wire.close();
  await upstream.close();
  await rm(folder, { recursive: true });
});
