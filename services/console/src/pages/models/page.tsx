import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Model } from '@gateway/client';
import { modelsQuery } from '../../gateway/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { dayText, numberText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';

type VideoModel = Extract<Model, { kind: 'video' }>;
type TextModel = Extract<Model, { kind: 'text' }>;

/** What can be asked for, and what it costs. */
export function ModelsPage() {
  const { data, error } = useQuery(modelsQuery);
  return (
    <Page title="Models" intro="Prices are in quota.">
      {error !== null && <FailureNote error={error} />}
      {data === undefined && error === null && <Skeleton height="320px" />}
      {data?.length === 0 && (
        <Empty title="No models">
          <p className="muted">
            Models are listed in <code>config/gateway.yaml</code>; a key can be limited to some of
            them.
          </p>
        </Empty>
      )}
      <ul className="model-cards">
        {data?.map((model) => (
          <li className="card card-body stack stack-close" key={model.id}>
            {model.kind === 'video' ? <VideoCard model={model} /> : <TextCard model={model} />}
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Head({ model, to }: { model: Model; to: string }) {
  return (
    <div className="row spread">
      <h2>{model.id}</h2>
      <Link
        className="button button-small"
        href={`${to}${model.id}`}
        aria-label={`Try it: ${model.id}`}
      >
        <Icon name="play" size={12} /> Try it
      </Link>
      {model.retires_at !== null && (
        <p className="field-error">Retires on {dayText(model.retires_at)}.</p>
      )}
    </div>
  );
}

function VideoCard({ model }: { model: VideoModel }) {
  const { parameters, price } = model;
  const { duration, ratio, resolution, references, frames, options } = parameters;
  const kinds = Object.entries(references).filter(([, most]) => most > 0);
  return (
    <>
      <Head model={model} to="/playground?models=" />
      <dl className="facts">
        <Fact name="Duration">
          {duration.min}–{duration.max} s, default {duration.default} s
        </Fact>
        <Fact name="Aspect ratio">{ratio.allowed.join(', ')}</Fact>
        <Fact name="Resolution">{resolution.allowed.join(', ')}</Fact>
        {kinds.length > 0 && (
          <Fact name="References">{kinds.map(([kind, most]) => `${most} ${kind}`).join(', ')}</Fact>
        )}
        {frames.length > 0 && <Fact name="Frames">{frames.join(', ').replaceAll('_', ' ')}</Fact>}
        {options.length > 0 && <Fact name="Options">{options.join(', ')}</Fact>}
        <Fact name="Price">{pricesOf(price).join(' · ')}</Fact>
      </dl>
    </>
  );
}

/** In words, each price that a model has. */
function pricesOf(price: VideoModel['price']): readonly string[] {
  const { second_quota: second, audio_second_quota: audio, clip, minimum } = price;
  const seconds =
    typeof second === 'number'
      ? [`${numberText(second)} per second`]
      : Object.entries(second).map(([size, quota]) => `${size}: ${numberText(quota)} per second`);
  const clips = Object.entries(clip ?? {}).map(
    ([length, quota]) => `${length} s: ${numberText(quota)}`,
  );
  return [
    ...(clips.length > 0 ? clips : seconds),
    ...(audio > 0 ? [`sound: + ${numberText(audio)} per second`] : []),
    ...(minimum === undefined ? [] : [`minimum ${numberText(minimum)}`]),
  ];
}

function TextCard({ model }: { model: TextModel }) {
  const { price } = model;
  return (
    <>
      <Head model={model} to="/text?model=" />
      <dl className="facts">
        {model.max_input_tokens !== null && (
          <Fact name="Context">{numberText(model.max_input_tokens)} tokens</Fact>
        )}
        {model.max_output_tokens !== null && (
          <Fact name="Output">{numberText(model.max_output_tokens)} tokens</Fact>
        )}
        <Fact name="Price">
          {price === null
            ? 'Free'
            : `${price.input} in, ${price.output} out, per ${numberText(price.per)} tokens`}
        </Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
