import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { CurrentSession, Video, VideoRequest } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { noteVideo } from '../../gateway/live.ts';
import { gatewayTime } from '../../gateway/connection.ts';
import { modelsQuery } from '../../gateway/queries.ts';
import { columnField, newRun, runField } from '../../gateway/runs.ts';
import { createVideos } from '../../gateway/unconfirmed.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Composer } from './composer.tsx';
import { draftOf, emptyDraft, fieldsOf, requestOf, type Draft, type VideoModel } from './fields.ts';
import { History } from './history.tsx';
import { mostModels } from './model-choice.tsx';
import { RunView } from './run-view.tsx';
import { Start } from './start.tsx';

/** One prompt on one to four models; the address says which, and what was made of it. */
export function PlaygroundPage({ session }: { session: CurrentSession }) {
  const models = useQuery(modelsQuery);
  const usable = useMemo(
    () => (models.data ?? []).filter((model): model is VideoModel => model.kind === 'video'),
    [models.data],
  );
  return (
    <Page title="Playground" intro="Run one prompt on up to four models side by side.">
      {models.error !== null && <FailureNote error={models.error} />}
      {models.isPending && (
        <div className="playground" aria-busy="true">
          <Skeleton height="560px" />
          <Skeleton height="320px" />
        </div>
      )}
      {models.data !== undefined && usable.length === 0 && (
        <Empty title="No video models">
          <p>
            This key cannot use any video model. Models are listed in{' '}
            <code>config/gateway.yaml</code>; a key can be limited to some of them.
          </p>
        </Empty>
      )}
      {usable.length > 0 && <Playground models={usable} session={session} />}
    </Page>
  );
}

interface PlaygroundProps {
  readonly models: readonly VideoModel[];
  readonly session: CurrentSession;
}

function Playground({ models, session }: PlaygroundProps) {
  const { chosen, run, show, from, asset } = useChoice(models);
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const prompt = useRef<HTMLTextAreaElement>(null);
  const fields = useMemo(
    () => fieldsOf(models.filter(({ id }) => chosen.includes(id))),
    [models, chosen.join()],
  );
  const requests = chosen.map((model) => requestOf(draft, model, fields));
  const begin = (idea: string): void => {
    setDraft((current) => ({ ...current, prompt: idea }));
    prompt.current?.focus();
  };
  const use = (videos: readonly Video[], change: Partial<Draft>): void => {
    const [first] = videos;
    if (first === undefined) return;
    setDraft({ ...draftOf(first), ...change });
    show({ models: videos.map(({ model }) => model) });
    prompt.current?.focus();
  };
  const lost = useOrigin(from, (video) => {
    use([video], {});
  });
  useGivenAsset(asset, setDraft);
  const { isSending, send } = useCreation(session);
  const generate = (): void => {
    const made = newRun(gatewayTime(), requests.length);
    show({ run: made });
    void send(asRun(requests, made));
  };
  const isComplete = draft.prompt.trim() !== '' && draft.prompt.length <= fields.longestPrompt;
  return (
    <div className="playground">
      <Composer
        models={models}
        chosen={chosen}
        onChoose={(next) => {
          show({ models: next });
        }}
        draft={draft}
        onDraft={setDraft}
        fields={fields}
        requests={requests}
        promptRef={prompt}
        mayCreate={isComplete && !isSending}
        onGenerate={generate}
      />
      <div className="stack">
        {lost !== undefined && <FailureNote error={lost} />}
        <Results run={run} columns={chosen.length} onIdea={begin} onUse={use} />
      </div>
    </div>
  );
}

interface ResultsProps {
  readonly run: string | null;
  readonly columns: number;
  readonly onIdea: (prompt: string) => void;
  readonly onUse: (videos: readonly Video[], change: Partial<Draft>) => void;
}

function Results({ run, columns, onIdea, onUse }: ResultsProps) {
  return (
    <>
      {run === null ? <Start onIdea={onIdea} /> : <RunView run={run} columns={columns} />}
      <History
        onAgain={(videos) => {
          onUse(videos, {});
        }}
        onVary={(videos) => {
          onUse(videos, { seed: '' });
        }}
      />
    </>
  );
}

/** Creates videos; while that is under way a double click is no second take. */
function useCreation({ account_id: accountId }: CurrentSession) {
  const [isSending, setIsSending] = useState(false);
  const send = async (requests: readonly VideoRequest[]): Promise<void> => {
    setIsSending(true);
    await createVideos(requests, { accountId, onCreated: noteVideo });
    setIsSending(false);
  };
  return { isSending, send };
}

/** What is chosen and what was made of it are in the address, for whoever it is sent to. */
function useChoice(models: readonly VideoModel[]) {
  const [search, setSearch] = useSearchParams();
  const chosen = chosenOf(models, search.get('models'));
  const run = search.get('run');
  const show = (next: { models?: readonly string[]; run?: string }): void => {
    const shown = next.run ?? run;
    const address = {
      models: (next.models ?? chosen).join(','),
      ...(shown !== null && { run: shown }),
    };
    setSearch(address, { replace: next.run === undefined });
  };
  return { chosen, run, show, from: search.get('from'), asset: search.get('asset') };
}

/** The models that the address names, or the first. */
function chosenOf(models: readonly VideoModel[], named: string | null): readonly string[] {
  const known = new Set(models.map(({ id }) => id));
  const wanted = (named ?? '').split(',').filter((name) => known.has(name));
  const [first] = models;
  const chosen = [...new Set(wanted)].slice(0, mostModels);
  return chosen.length > 0 || first === undefined ? chosen : [first.id];
}

/** A video whose page sent somebody here to make it again; what is returned says why it cannot be read. */
function useOrigin(id: string | null, onFound: (video: Video) => void): Error | undefined {
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    if (id === null) return;
    void gateway.videos.get(id, { include: 'request' }).then(onFound, setFailure);
  }, [id]);
  return failure;
}

/** A picture whose page sent somebody here to use it. */
function useGivenAsset(
  id: string | null,
  onDraft: (change: (draft: Draft) => Draft) => void,
): void {
  useEffect(() => {
    if (id === null) return;
    onDraft((draft) => ({
      ...draft,
      pictures: [{ url: id, name: id, role: 'first_frame' }],
    }));
  }, [id, onDraft]);
}

const asRun = (requests: readonly VideoRequest[], run: string): readonly VideoRequest[] =>
  requests.map((request, column) => ({
    ...request,
    metadata: { ...request.metadata, [runField]: run, [columnField]: String(column) },
  }));
