import { useRef, useState, type KeyboardEvent, type RefObject, type SyntheticEvent } from 'react';
import type { VideoRequest } from '@gateway/client';
import { Icon } from '../../parts/icon.tsx';
import { numberText } from '../../parts/format.ts';
import { ShowCode } from '../../parts/show-code.tsx';
import type { Draft, Fields, VideoModel } from './fields.ts';
import { ChoiceField, DurationField, RatioForm, SwitchField } from './form-controls.tsx';
import { ModelChoice } from './model-choice.tsx';
import { OtherFields } from './other-fields.tsx';
import { Pictures } from './pictures.tsx';
import { Prices } from './prices.tsx';

export interface ComposerProps {
  readonly models: readonly VideoModel[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
  readonly draft: Draft;
  readonly onDraft: (change: (draft: Draft) => Draft) => void;
  readonly fields: Fields;
  readonly requests: readonly VideoRequest[];
  readonly promptRef: RefObject<HTMLTextAreaElement | null>;
  readonly mayCreate: boolean;
  readonly onGenerate: () => void;
}

/** The form of a video: its fields are those that all chosen models take. */
export function Composer(props: ComposerProps) {
  const { draft, onDraft, fields, requests, mayCreate, onGenerate } = props;
  const form = useRef<HTMLFormElement>(null);
  const set = (change: Partial<Draft>): void => {
    onDraft((current) => ({ ...current, ...change }));
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (mayCreate) onGenerate();
  };
  const submitByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="card composer" onSubmit={submit} onKeyDown={submitByKey}>
      <ModelChoice models={props.models} chosen={props.chosen} onChange={props.onChoose} />
      <PromptField
        value={draft.prompt}
        longest={fields.longestPrompt}
        inputRef={props.promptRef}
        onChange={(prompt) => {
          set({ prompt });
        }}
      />
      {fields.roles.length > 0 && (
        <Pictures
          pictures={draft.pictures}
          roles={fields.roles}
          onChange={(change) => {
            onDraft((current) => ({ ...current, pictures: change(current.pictures) }));
          }}
        />
      )}
      <ShapeFields draft={draft} fields={fields} set={set} />
      <MoreFields draft={draft} fields={fields} set={set} />
      <OtherFields
        others={draft.others}
        onChange={(others) => {
          set({ others });
        }}
      />
      <div className="composer-actions">
        <button className="button button-main button-wide" disabled={!mayCreate}>
          {requests.length > 1 ? `Generate ${requests.length} videos` : 'Generate'}
        </button>
        <Prices requests={requests} />
        <CodeButton requests={requests} />
      </div>
    </form>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly fields: Fields;
  readonly set: (change: Partial<Draft>) => void;
}

function ShapeFields({ draft, fields, set }: PartProps) {
  return (
    <>
      {fields.durations.length > 0 && (
        <DurationField
          durations={fields.durations}
          canDecide={fields.canDecideDuration}
          usual={fields.usualDuration}
          value={draft.duration}
          onChange={(duration) => {
            set({ duration });
          }}
        />
      )}
      {fields.ratios.length > 0 && (
        <ChoiceField
          label="Aspect ratio"
          defaultWord="Default"
          value={draft.ratio}
          options={fields.ratios}
          mark={(ratio) => <RatioForm ratio={ratio} />}
          onChange={(ratio) => {
            set({ ratio });
          }}
        />
      )}
      {fields.resolutions.length > 0 ? (
        <ChoiceField
          label="Resolution"
          defaultWord="Default"
          value={draft.resolution}
          options={fields.resolutions}
          onChange={(resolution) => {
            set({ resolution });
          }}
        />
      ) : (
        <p className="field-note">These models share no resolution. Each uses its own default.</p>
      )}
    </>
  );
}

/** What few need stays folded. */
function MoreFields({ draft, fields, set }: PartProps) {
  const switches = [
    [fields.hasSound, 'Sound', 'hasSound', undefined],
    [fields.hasLastFrame, 'Keep last frame', 'keepsLastFrame', 'to continue from'],
    [fields.hasWatermark, 'Watermark', 'hasWatermark', undefined],
    [fields.hasFlex, 'Flex', 'isFlexible', 'cheaper, waits for idle capacity'],
    [fields.hasDraft, 'Draft', 'isDraft', 'low-cost preview'],
  ] as const;
  return (
    <details>
      <summary className="label">More options</summary>
      <div className="stack stack-close more-fields">
        {switches.map(
          ([isThere, label, field, note]) =>
            isThere && (
              <SwitchField
                key={field}
                label={label}
                isOn={draft[field]}
                {...(note !== undefined && { note })}
                onChange={(isOn) => {
                  set({ [field]: isOn });
                }}
              />
            ),
        )}
        {fields.hasSeed && (
          <label className="field">
            <span className="label">Seed</span>
            <input
              className="input"
              inputMode="numeric"
              placeholder="Random"
              value={draft.seed}
              onChange={({ target }) => {
                set({ seed: target.value });
              }}
            />
          </label>
        )}
      </div>
    </details>
  );
}

interface PromptFieldProps {
  readonly value: string;
  readonly longest: number;
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  readonly onChange: (value: string) => void;
}

function PromptField({ value, longest, inputRef, onChange }: PromptFieldProps) {
  const isLong = value.length > longest * 0.8;
  return (
    <div className="field">
      <label htmlFor="prompt">Prompt</label>
      <textarea
        ref={inputRef}
        id="prompt"
        className="textarea"
        placeholder="A paper boat drifts on a calm lake at dawn, slow dolly in"
        value={value}
        aria-describedby={isLong ? 'prompt-length' : undefined}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      {isLong && (
        <span id="prompt-length" className={value.length > longest ? 'field-error' : 'field-note'}>
          {numberText(value.length)} of {numberText(longest)} characters
        </span>
      )}
    </div>
  );
}

function CodeButton({ requests }: { requests: readonly VideoRequest[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button button-plain button-small"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        <Icon name="code" /> View code
      </button>
      {isOpen && (
        <ShowCode
          requests={requests}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}
