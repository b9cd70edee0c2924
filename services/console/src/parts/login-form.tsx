import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode, type SyntheticEvent } from 'react';
import { ApiError } from '@gateway/client';
import { useStore, type Store } from '../gateway/store.ts';
import { FailureNote } from './failure-note.tsx';
import { Brand, type BrandProps } from './shell.tsx';

export interface LoginFormProps extends BrandProps {
  /** What somebody logs in with. */
  readonly label: string;
  readonly placeholder?: string;
  readonly hasEnded: Store<boolean>;
  readonly open: (secret: string) => Promise<void>;
  /** Said when it is not the right one. */
  readonly advice: string;
  /** Below the form. */
  readonly children: ReactNode;
}

/** The secret goes into one call and nowhere else; from then on a cookie stands for it. */
export function LoginForm(props: LoginFormProps) {
  const { label, placeholder, hasEnded, advice, children, ...brand } = props;
  const field = useRef<HTMLInputElement>(null);
  const isOver = useStore(hasEnded);
  // Read where it is typed, so that nothing remembers what the call was made with.
  const open = useMutation({
    mutationFn: async () => {
      await props.open(field.current?.value.trim() ?? '');
      if (field.current !== null) field.current.value = '';
    },
  });
  useEffect(() => {
    document.title = 'Log in · Gateway console';
  }, []);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    open.mutate();
  };
  return (
    <main className="login">
      <div className="login-card">
        <Brand home={brand.home} whose={brand.whose} />
        <form className="card card-body" onSubmit={submit}>
          <h1>Log in</h1>
          {isOver && (
            <p className="note" role="status">
              Your session has ended. Log in again to continue.
            </p>
          )}
          <div className="field">
            <label htmlFor="secret">{label}</label>
            <input
              ref={field}
              className="input mono"
              id="secret"
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder={placeholder}
              required
              autoFocus
            />
          </div>
          {open.error !== null && <FailureNote error={inWords(open.error, advice)} />}
          <button className="button button-main button-wide" disabled={open.isPending}>
            {open.isPending ? 'Logging in…' : 'Log in'}
          </button>
        </form>
        <div className="stack stack-close small muted">{children}</div>
      </div>
    </main>
  );
}

const inWords = (error: Error, advice: string): Error =>
  error instanceof ApiError && error.status === 401 ? new Error(advice) : error;
