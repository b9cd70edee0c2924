import { describe, expect, it } from '@jest/globals';
import type { KeyUse } from '@gateway/store';
import { recordingLog } from '@gateway/testing';
import { createKeyUseNotes } from '../../../services/api/src/adapters/key-uses.ts';

describe('noting that keys were used', () => {
  it('tells the store of each key once, with its last use', async () => {
    const saved: (readonly KeyUse[])[] = [];
    let now = 0;
    const notes = createKeyUseNotes({
      save: (uses) => Promise.resolve(saved.push(uses)),
      log: recordingLog(),
      now: () => now,
    });
    for (const keyId of ['a', 'b', 'a']) {
      now += 1_000;
      notes.note(keyId);
    }

    await notes.flush();
    await notes.flush();

    expect(saved).toEqual([
      [
        { keyId: 'a', at: new Date(3_000) },
        { keyId: 'b', at: new Date(2_000) },
      ],
    ]);
  });

  it('tells it of 500 keys at a time, and of none again when a later one fails', async () => {
    let isDown = true;
    const saved: string[][] = [];
    const notes = createKeyUseNotes({
      save(uses) {
        if (saved.length === 1 && isDown) return Promise.reject(new Error('down'));
        return Promise.resolve(saved.push(uses.map(({ keyId }) => keyId)));
      },
      log: recordingLog(),
      now: () => 5,
    });
    const keys = Array.from({ length: 1_100 }, (_, index) => `key_${index}`);
    for (const keyId of keys) notes.note(keyId);

    await expect(notes.flush()).rejects.toThrow('down');
    isDown = false;
    await notes.flush();

    expect(saved.map(({ length }) => length)).toEqual([500, 500, 100]);
    expect(saved.flat()).toEqual(keys);
  });

  it('keeps what could not be written, and writes it at the stop', async () => {
    let isDown = true;
    const saved: (readonly KeyUse[])[] = [];
    const notes = createKeyUseNotes({
      save(uses) {
        if (isDown) return Promise.reject(new Error('down'));
        return Promise.resolve(saved.push(uses));
      },
      log: recordingLog(),
      now: () => 5,
    });
    notes.note('a');
    await expect(notes.flush()).rejects.toThrow('down');
    isDown = false;
    notes.note('b');

    await notes.part.stop();

    expect(saved).toEqual([
      [
        { keyId: 'a', at: new Date(5) },
        { keyId: 'b', at: new Date(5) },
      ],
    ]);
  });
});
