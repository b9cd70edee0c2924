import type { CallbackState, TaskCallback } from '@gateway/client';
import { callbackMoods, callbackStates } from './callback-states.ts';
import { StateMark } from './status-mark.tsx';

/** Where a callback stands, and why nothing more is tried. */
export function CallbackMark({ state, reason }: Pick<TaskCallback, 'state' | 'reason'>) {
  return (
    <>
      <StateMark mood={callbackMoods[state]} word={state} />
      {reason !== null && <div className="small muted">{reason}</div>}
    </>
  );
}

export interface CallbackStateChoiceProps {
  readonly state: CallbackState | undefined;
  readonly onChange: (state: CallbackState | undefined) => void;
}

export function CallbackStateChoice({ state, onChange }: CallbackStateChoiceProps) {
  return (
    <fieldset className="choices">
      <legend className="unseen">State</legend>
      {[undefined, ...callbackStates].map((each) => (
        <label className="choice" key={each ?? 'all'}>
          <input
            type="radio"
            name="state"
            checked={each === state}
            onChange={() => {
              onChange(each);
            }}
          />
          <span>{each ?? 'all'}</span>
        </label>
      ))}
    </fieldset>
  );
}
