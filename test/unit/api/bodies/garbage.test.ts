import { describe, expect, it } from '@jest/globals';
import { createBodyGarbage } from '../../../../services/api/src/bodies/garbage.ts';

describe('the garbage of large bodies', () => {
  it('is collected after every 8 MiB, whosever they are', () => {
    let collections = 0;
    const garbage = createBodyGarbage(() => {
      collections += 1;
    });
    const readPieces = (count: number): void => {
      for (let piece = 0; piece < count; piece += 1) garbage.read(65_536);
    };

    readPieces(127);
    expect(collections).toBe(0);
    readPieces(1);
    expect(collections).toBe(1);
    readPieces(256);
    expect(collections).toBe(3);
  });
});
