import { execFile } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Ran {
  readonly status: number;
  /** What a terminal would show: both streams, as they came. */
  readonly printed: string;
}

export interface ShellOptions {
  /** Where the commands are typed, and what they leave behind is kept. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** How long a block may take. */
  readonly timeoutMs: number;
  /** Name of the terminal: each has variables of its own. */
  readonly terminal: string;
}

/**
 * Runs block after block as somebody would type them into one terminal: what one block sets, the
 * next one has.
 */
export function openShell({ folder, environment, timeoutMs, terminal }: ShellOptions) {
  const variables = path.join(folder, `.${terminal}.variables`);
  const script = path.join(folder, `.${terminal}.block`);
  return {
    /**
     * Ends at the first command that fails. The streams are pipes, which `tee /dev/stderr` can
     * open.
     */
    async run(code: string): Promise<Ran> {
      await appendFile(variables, '');
      await writeFile(
        script,
        `trap 'export -p > ${variables}' EXIT\n. ${variables}\nset -aeuo pipefail\n${given}\n${code}\n`,
      );
      return new Promise((resolve) => {
        const options = {
          cwd: folder,
          env: environment,
          timeout: timeoutMs,
          maxBuffer: 64 * 1024 * 1024,
        };
        execFile(
          'bash',
          ['-c', `set -o pipefail; bash ${script} 2>&1 | cat`],
          options,
          (error, stdout) => {
            const code = error === null ? 0 : error.code;
            resolve({ status: typeof code === 'number' ? code : 124, printed: stdout });
          },
        );
      });
    },
  };
}

/** What `given:` comments make use of: the id of a new video, and the id of one that is over. */
const given = `
a_video() {
  curl -sS http://localhost:3000/v1/videos -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\
    -d "{\\"model\\":\\"sandbox-video\\",\\"prompt\\":\\"\${1:-a red balloon}\\",\\"duration\\":4,\\"resolution\\":\\"480p\\",\\"return_last_frame\\":true\${2:-}}" \\
    | grep -o 'video_[0-9a-z]*' | head -n 1
}
a_finished_video() {
  local id=$(a_video "$@")
  curl -sSN "http://localhost:3000/v1/videos/$id/events" -H "authorization: Bearer $KEY" -H 'accept: text/event-stream' > /dev/null
  echo "$id"
}
`;
