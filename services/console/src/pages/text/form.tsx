import { useRef, type SyntheticEvent, type KeyboardEvent } from 'react';
import type { Model, TextDialect } from '@gateway/client';
import { dialects, type Prompt, type Words } from './prompt.ts';

export interface TextFormProps {
  readonly models: readonly Model[];
  readonly prompt: Prompt;
  readonly words: Words;
  readonly onWords: (change: (words: Words) => Words) => void;
  readonly onChoose: (change: { readonly model?: string; readonly dialect?: TextDialect }) => void;
  readonly isRunning: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

export function TextForm(props: TextFormProps) {
  const { models, prompt, words, onWords, onChoose, isRunning, onSend, onStop } = props;
  const form = useRef<HTMLFormElement>(null);
  const set = (change: Partial<Words>): void => {
    onWords((before) => ({ ...before, ...change }));
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isRunning) onSend();
  };
  const submitByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="card composer" onSubmit={submit} onKeyDown={submitByKey}>
      <label className="field">
        <span className="label">Model</span>
        <select
          className="select"
          value={prompt.model}
          onChange={({ target }) => {
            onChoose({ model: target.value });
          }}
        >
          {models.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <DialectField
        dialect={prompt.dialect}
        onChange={(dialect) => {
          onChoose({ dialect });
        }}
      />
      <WordFields words={words} set={set} />
      <div className="composer-actions">
        {isRunning ? (
          <button type="button" className="button button-wide" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button className="button button-main button-wide">Send</button>
        )}
      </div>
    </form>
  );
}

interface WordFieldsProps {
  readonly words: Words;
  readonly set: (change: Partial<Words>) => void;
}

function WordFields({ words, set }: WordFieldsProps) {
  return (
    <>
      <label className="field">
        <span className="label">System</span>
        <textarea
          className="textarea textarea-low"
          placeholder="Optional"
          value={words.system}
          onChange={({ target }) => {
            set({ system: target.value });
          }}
        />
      </label>
      <label className="field">
        <span className="label">Message</span>
        <textarea
          className="textarea"
          placeholder="Say hello."
          required
          value={words.message}
          onChange={({ target }) => {
            set({ message: target.value });
          }}
        />
      </label>
      <label className="field">
        <span className="label">Max output tokens</span>
        <input
          className="input"
          inputMode="numeric"
          value={words.maxTokens}
          onChange={({ target }) => {
            set({ maxTokens: target.value });
          }}
        />
      </label>
    </>
  );
}

interface DialectFieldProps {
  readonly dialect: TextDialect;
  readonly onChange: (dialect: TextDialect) => void;
}

function DialectField({ dialect, onChange }: DialectFieldProps) {
  return (
    <fieldset className="field">
      <legend className="label">Dialect</legend>
      <div className="choices">
        {dialects.map(({ name, words }) => (
          <label className="choice" key={name}>
            <input
              type="radio"
              name="dialect"
              checked={dialect === name}
              onChange={() => {
                onChange(name);
              }}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
