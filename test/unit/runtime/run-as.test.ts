import { describe, expect, it } from '@jest/globals';
import { currentContext, runAs, runWith } from '@gateway/runtime';

const mine = { requestId: 'mine' };
const others = { requestId: 'others' };

describe('a part of the work of many', () => {
  it('is done for the one whose it is', () => {
    let seen = currentContext();
    runWith(others, () => {
      runAs(mine, () => {
        seen = currentContext();
      });
    });
    expect(seen).toBe(mine);
  });

  it('is done for nobody where it is nobody’s, whoever asked for it first', async () => {
    const seen = await new Promise((resolve) => {
      runWith(others, () => {
        setImmediate(runAs, undefined, () => {
          resolve(currentContext());
        });
      });
    });
    expect(seen).toBeUndefined();
  });
});
