export interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchesOptions<Request, Answer> {
  /** Larger batches win nothing and make one statement's failure hit more callers. */
  readonly mostAtOnce: number;
  /** Answers everyone in the batch; what it throws is told to those who have no answer yet. */
  readonly serve: (key: string, batch: readonly Waiting<Request, Answer>[]) => Promise<void>;
}

/**
 * Requests of one key that arrive while others of it are being served are served together
 * afterwards. One batch in flight for each key: for writers of one hot row, whose rate is limited
 * by how long it is locked.
 */
export function createBatches<Request, Answer>({
  mostAtOnce,
  serve,
}: BatchesOptions<Request, Answer>): (key: string, request: Request) => Promise<Answer> {
  const lines = new Map<string, Waiting<Request, Answer>[]>();
  const serveAll = async (key: string): Promise<void> => {
    for (let line = lines.get(key) ?? []; line.length > 0; line = lines.get(key) ?? []) {
      const batch = line.splice(0, mostAtOnce);
      await serve(key, batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
    lines.delete(key);
  };
  return (key, request) =>
    new Promise((resolve, reject) => {
      const waiting = { request, resolve, reject };
      const line = lines.get(key);
      if (line !== undefined) {
        line.push(waiting);
        return;
      }
      lines.set(key, [waiting]);
      void serveAll(key);
    });
}
