import { describe, expect, it } from '@jest/globals';
import { StorageError } from '@gateway/media';
import { toStorageError } from '../../../packages/media/src/file-system-error.ts';

describe('a failed system call of the storage', () => {
  it.each([
    ['ENOSPC', 'write', 'storage_full'],
    ['EDQUOT', 'write', 'storage_full'],
    ['EIO', 'write', 'storage_unavailable'],
    ['EACCES', 'write', 'storage_refused'],
    ['EACCES', 'read', 'storage_refused'],
    ['EROFS', 'write', 'storage_read_only'],
    ['ENOENT', 'write', 'storage_unavailable'],
    ['EMFILE', 'read', 'storage_unavailable'],
    ['ENOENT', 'read', 'not_found'],
    ['ENOTDIR', 'read', 'not_found'],
  ] as const)('%s while it should %s is %s', (code, purpose, expected) => {
    expect(
      toStorageError(Object.assign(new Error('/secret/path'), { code }), purpose),
    ).toMatchObject({ code: expected, message: expect.not.stringContaining('/secret') });
  });

  it('is passed on when it was named before', () => {
    const named = new StorageError('too_large', 'too large');

    expect(toStorageError(named, 'write')).toBe(named);
  });
});
