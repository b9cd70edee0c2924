import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { errorCatalogue, taskFailures } from '@gateway/domain';

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

/** The rows below a heading, without the head of the table. */
function rowsUnder(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

describe('docs/errors.md', () => {
  it('lists exactly the codes of requests, each with its status, type and meaning', () => {
    expect(rowsUnder('Codes of a request')).toEqual(
      Object.entries(errorCatalogue).map(
        ([code, { status, type, meaning }]) =>
          `| \`${code}\` | ${status} | \`${type}\` | ${meaning} |`,
      ),
    );
  });

  it('lists exactly the codes of tasks, each with its sentence', () => {
    expect(rowsUnder('Codes of a task')).toEqual(
      Object.entries(taskFailures).map(([code, message]) => `| \`${code}\` | ${message} |`),
    );
  });

  it('shows an error body that is JSON, with a code that exists', () => {
    const [, body = ''] = /```json\n([^`]*)```/.exec(page) ?? [];
    const { error } = JSON.parse(body) as { error: Record<string, unknown> };

    expect(Object.keys(error)).toEqual(['message', 'type', 'code', 'param', 'details']);
    expect(errorCatalogue).toHaveProperty(
      String(error['code']),
      expect.objectContaining({ type: error['type'] }),
    );
  });
});
