import type { DemoFile } from './demo.ts';

export interface SummaryOptions {
  /** As a person would type it: relative where that is shorter. */
  readonly dataDir: string;
  readonly hasColours: boolean;
  readonly seconds: number;
}

/**
 * What a person needs when everything runs: where it is, a video and a text to make, how to stop.
 */
export function renderSummary(
  demo: DemoFile,
  { dataDir, hasColours, seconds }: SummaryOptions,
): string {
  const bold = (text: string): string => (hasColours ? `\u001b[1m${text}\u001b[22m` : text);
  const authorization = `-H 'authorization: Bearer ${demo.api_key}'`;
  return `
${bold(`The generation gateway is ready (${seconds.toFixed(1)} s).`)}

  Address   ${demo.base_url}
  Console   ${demo.base_url}/console
  Reference ${demo.base_url}/docs
  API key   ${demo.api_key}
  Metrics   ${demo.ops_urls['api'] ?? ''}/metrics, readiness /readyz; of the other services: demo.json
  Logs      ${dataDir}/logs
  All addresses, keys and secrets: ${dataDir}/demo.json

${bold('Make a video')} (the sandbox vendor takes about three seconds and costs nothing):

  VIDEO=$(curl -sS ${demo.base_url}/v1/videos ${authorization} \\
    -H 'content-type: application/json' \\
    -d '{"model":"sandbox-video","prompt":"A paper boat on a calm lake"}' \\
    | tee -a /dev/stderr | grep -o 'video_[a-z0-9]*' | head -n 1)

${bold('Read it')}, with the link to the MP4 once it has succeeded:

  curl -sS ${demo.base_url}/v1/videos/$VIDEO ${authorization}

${bold('Stream a text')} (/v1/messages takes the same key):

  curl -sSN ${demo.base_url}/v1/chat/completions ${authorization} \\
    -H 'content-type: application/json' \\
    -d '{"model":"sandbox-messages","stream":true,"messages":[{"role":"user","content":"Say hello."}]}'

This terminal stays with the gateway: use another one for these commands. Ctrl-C stops everything; the data stays in ${dataDir}.
`;
}
