import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Model, TextDialect, TextEnd } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { balanceQuery, modelsQuery } from '../../gateway/queries.ts';
import { queries } from '../../gateway/query-client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { lengthText, numberText } from '../../parts/format.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TextForm } from './form.tsx';
import { curlOf, promptOf, type Prompt, type Words } from './prompt.ts';

interface Completion {
  readonly text: string;
  readonly firstAfterMs?: number;
  readonly tookMs?: number;
  readonly end?: TextEnd;
  readonly failure?: Error;
}

/** One prompt to a text model, in either dialect, as it arrives. */
export function TextPage() {
  const models = useQuery(modelsQuery);
  const texts = (models.data ?? []).filter(({ kind }) => kind === 'text');
  return (
    <Page title="Text" intro="Stream a completion in either API dialect.">
      {models.error !== null && <FailureNote error={models.error} />}
      {models.isPending && <Skeleton height="420px" />}
      {models.data !== undefined && texts.length === 0 && (
        <Empty title="No text models">
          <p className="muted">
            This key cannot use any text model. Models are listed in{' '}
            <code>config/gateway.yaml</code>.
          </p>
        </Empty>
      )}
      {texts.length > 0 && <TextPlayground models={texts} />}
    </Page>
  );
}

function TextPlayground({ models }: { models: readonly Model[] }) {
  const [search, setSearch] = useSearchParams();
  const named = search.get('model');
  const model = models.find(({ id }) => id === named)?.id ?? models[0]?.id ?? '';
  const dialect: TextDialect = search.get('dialect') === 'messages' ? 'messages' : 'chat';
  const [words, setWords] = useState<Words>({ system: '', message: '', maxTokens: '512' });
  const { completion, isRunning, run, stop } = useCompletion();
  const prompt = promptOf(words, { model, dialect });
  const code = curlOf(prompt, window.location.origin);
  return (
    <div className="playground">
      <TextForm
        models={models}
        prompt={prompt}
        words={words}
        onWords={setWords}
        onChoose={(change) => {
          setSearch({ model, dialect, ...change }, { replace: true });
        }}
        isRunning={isRunning}
        onSend={() => void run(prompt)}
        onStop={stop}
      />
      <div className="stack">
        <CompletionCard completion={completion} isRunning={isRunning} />
        <section className="card" aria-label="Code">
          <div className="card-head">
            <h2>Request with curl</h2>
            <CopyButton text={code} what="code" />
          </div>
          <div className="card-body">
            <pre className="code" tabIndex={0}>
              {code}
            </pre>
          </div>
        </section>
      </div>
    </div>
  );
}

function CompletionCard({ completion, isRunning }: { completion: Completion; isRunning: boolean }) {
  const { text, failure } = completion;
  const facts = factsOf(completion);
  return (
    <section className="card" aria-label="Completion" aria-busy={isRunning}>
      <div className="card-head">
        <h2>Completion</h2>
        {text !== '' && <CopyButton text={text} what="completion" />}
      </div>
      <div className="card-body stack">
        {text === '' && failure === undefined ? (
          <p className="muted">
            {isRunning ? 'Waiting for the first token…' : 'The completion appears here.'}
          </p>
        ) : (
          <p className="prompt">{text}</p>
        )}
        {failure !== undefined && <FailureNote error={failure} />}
        {facts.length > 0 && <p className="small muted">{facts.join(' · ')}</p>}
      </div>
    </section>
  );
}

/** What is known of a completion, in words. */
function factsOf({ firstAfterMs, tookMs, end }: Completion): readonly string[] {
  const told = <Value,>(value: Value | undefined, words: (value: Value) => string): string[] =>
    value === undefined ? [] : [words(value)];
  return [
    ...told(firstAfterMs, (ms) => `first token in ${lengthText(ms)}`),
    ...told(tookMs, (ms) => `total ${lengthText(ms)}`),
    ...told(end?.stopReason, (reason) => `stop reason: ${reason}`),
    ...told(end?.inputTokens, (tokens) => `${numberText(tokens)} input tokens`),
    ...told(end?.outputTokens, (tokens) => `${numberText(tokens)} output tokens`),
  ];
}

/** Streams one completion after another. */
function useCompletion() {
  const [completion, setCompletion] = useState<Completion>({ text: '' });
  const [isRunning, setIsRunning] = useState(false);
  const stopped = useRef<AbortController>(null);
  const run = async ({ dialect, message, ...prompt }: Prompt): Promise<void> => {
    const abort = new AbortController();
    stopped.current = abort;
    const startedAt = performance.now();
    const sinceStart = (): number => performance.now() - startedAt;
    setCompletion({ text: '' });
    setIsRunning(true);
    const request = { ...prompt, messages: [{ role: 'user' as const, content: message }] };
    const pieces = gateway.text.stream(request, { dialect, signal: abort.signal });
    try {
      for (;;) {
        const piece = await pieces.next();
        if (piece.done === true) {
          setCompletion((before) => ({ ...before, tookMs: sinceStart(), end: piece.value }));
          break;
        }
        setCompletion(({ text, firstAfterMs = sinceStart() }) => ({
          text: text + piece.value,
          firstAfterMs,
        }));
      }
    } catch (error) {
      const failure = asError(error);
      if (!abort.signal.aborted) setCompletion((before) => ({ ...before, failure }));
    } finally {
      setIsRunning(false);
      void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
    }
  };
  return { completion, isRunning, run, stop: () => stopped.current?.abort() };
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
