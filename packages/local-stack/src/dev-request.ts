import { parseArgs } from 'node:util';
import { LocalStackError } from './local-stack-error.ts';
import { nearMatches } from './near-matches.ts';
import { gatewayServices } from './services.ts';

/** Which service runs under its developer's eyes, and how. */
export interface DevRequest {
  readonly service: string;
  /** Port of the debugger on loopback; 0 takes a free one. */
  readonly inspectPort: number;
  /** Stops at the first line until a debugger says go on. */
  readonly waitForDebugger: boolean;
  readonly logLevel: string;
}

const defaultInspectPort = 9_229;

export const devUsage = `npm run dev -- SERVICE: npm start, with one service compiled again and started again whenever its sources change.

  SERVICE          ${gatewayServices.map(({ name }) => name).join(', ')}
  --inspect PORT   where a debugger finds the service, on this machine alone (${defaultInspectPort}; 0 takes a free one)
  --wait           the service waits for a debugger before its first line
  --log LEVEL      its log level (debug)

What it logs is in .data/logs/SERVICE.log. Every setting of npm start counts here too: npm start -- --help.`;

/** Reads the arguments of `npm run dev`; undefined where its usage is asked for. */
export function readDevRequest(args: readonly string[]): DevRequest | undefined {
  const { values, positionals } = parsed(args);
  const { help, inspect = String(defaultInspectPort), wait = false, log = 'debug' } = values;
  if (help === true) return undefined;
  return {
    service: serviceIn(positionals),
    inspectPort: portIn(inspect),
    waitForDebugger: wait,
    logLevel: log,
  };
}

function serviceIn(words: readonly string[]): string {
  const names = gatewayServices.map(({ name }) => name);
  const service = words.join(' ');
  if (names.includes(service)) return service;
  if (service === '') throw wrongUsage('Name the service to work on.');
  const [near] = nearMatches(service, names);
  const suggestion = near === undefined ? '' : `; did you mean "${near}"?`;
  throw wrongUsage(`There is no service "${service}"${suggestion}.`);
}

function portIn(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw wrongUsage(`--inspect must be a whole number from 0 to 65535; got "${text}".`);
}

/** Node's own arguments for the service. */
export const nodeArgumentsOf = ({
  inspectPort,
  waitForDebugger,
}: DevRequest): readonly string[] => [
  `--inspect${waitForDebugger ? '-brk' : ''}=127.0.0.1:${inspectPort}`,
];

const wrongUsage = (problem: string): LocalStackError =>
  new LocalStackError('wrong_usage', `${problem}\n\n${devUsage}`);

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        inspect: { type: 'string' },
        wait: { type: 'boolean' },
        log: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw wrongUsage((error as Error).message);
  }
}
