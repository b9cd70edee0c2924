export type MediaErrorCode = 'not_a_video' | 'unreadable_video' | 'unreadable_image';

const brand = Symbol.for('gateway.MediaError');

/**
 * A file that is not what it should be: something else altogether, or a video that is cut off or
 * broken.
 */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaErrorCode;
  readonly [brand] = true;

  constructor(code: MediaErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  static is(value: unknown): value is MediaError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
