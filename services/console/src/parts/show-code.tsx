import { useState } from 'react';
import type { VideoRequest } from '@gateway/client';
import { codeLanguages, codeOf, type CodeLanguage } from './code.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

export interface ShowCodeProps {
  readonly requests: readonly VideoRequest[];
  readonly onClose: () => void;
}

/** The console is a client of the public API and nothing else: here is what it sends. */
export function ShowCode({ requests, onClose }: ShowCodeProps) {
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const text = codeOf(language, requests, window.location.origin);
  return (
    <Dialog title="API request" onClose={onClose}>
      <div className="row spread">
        <div className="choices">
          {codeLanguages.map((each) => (
            <label className="choice" key={each}>
              <input
                type="radio"
                name="language"
                checked={each === language}
                onChange={() => {
                  setLanguage(each);
                }}
              />
              <span>{each}</span>
            </label>
          ))}
        </div>
        <CopyButton text={text} what="code" />
      </div>
      <pre className="code" tabIndex={0}>
        {text}
      </pre>
      <p className="small muted">
        Set <code>$KEY</code> to an API key of yours.
      </p>
    </Dialog>
  );
}
