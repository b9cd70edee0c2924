import type { SessionRecord, Sessions } from '@gateway/store';

export interface OpenSessionPorts {
  readonly sessions: Pick<Sessions, 'open'>;
  readonly newId: () => string;
  /** 256 random bits, as text. */
  readonly newSecret: () => string;
  readonly hash: (text: string) => Uint8Array<ArrayBuffer>;
}

export interface OpenedSession {
  readonly session: SessionRecord;
  /** For the cookie; kept nowhere. */
  readonly secret: string;
}

export interface OpenSession {
  readonly owner: string;
  readonly userAgent: string | undefined;
  /** What is hashed for this secret: more than itself where the session depends on more. */
  readonly hashedOf: (secret: string) => string;
}

const mostOfUserAgent = 200;

/** Opens a session for a browser. The secret of its cookie is stored as a hash alone. */
export const createOpenSession =
  ({ sessions, newId, newSecret, hash }: OpenSessionPorts) =>
  async ({ owner, userAgent, hashedOf }: OpenSession): Promise<OpenedSession> => {
    const secret = newSecret();
    const session = await sessions.open({
      id: newId(),
      owner,
      hash: hash(hashedOf(secret)),
      // Bytes of a header are read as Latin-1: no control character is among them.
      userAgent: userAgent?.slice(0, mostOfUserAgent) ?? null,
    });
    return { session, secret };
  };
