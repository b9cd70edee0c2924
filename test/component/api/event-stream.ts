export interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: {
    readonly sequence?: number;
    readonly video?: { readonly id: string };
    readonly task?: { readonly id: string };
  };
}

/** A stream of events that somebody reads, and what came so far. */
export async function followEvents(url: string, headers: Readonly<Record<string, string>>) {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  let text = '';
  let hasEnded = false;
  void (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
    hasEnded = true;
  })().catch(() => undefined);
  const received = (): ReceivedEvent[] =>
    [...text.matchAll(/^id: (\S+)\nevent: (\w+)\ndata: (.*)\n\n/gm)].map(
      ([, id = '', event = '', data = '']) => ({
        id,
        event,
        data: JSON.parse(data) as ReceivedEvent['data'],
      }),
    );
  return {
    response,
    received,
    text: () => text,
    hasEnded: () => hasEnded,
    statuses: (id: string) =>
      received()
        .filter(({ data }) => (data.video ?? data.task)?.id === id)
        .map(({ event }) => event),
    close: () => {
      abort.abort();
    },
  };
}
