import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

type Cells = Readonly<Record<string, string | number>>;

/**
 * Sends rows as CSV (RFC 4180), a file with this name, as fast as its reader takes them. The first
 * row names the columns; without rows there are none.
 */
export async function sendCsv(
  response: Response,
  name: string,
  rows: readonly Cells[],
): Promise<void> {
  response.set({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
  });
  try {
    await pipeline(Readable.from(csvParts(rows)), response);
  } catch (error) {
    // Its reader has left.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

const rowsAtOnce = 500;

function* csvParts(rows: readonly Cells[]): Generator<string> {
  if (rows[0] !== undefined) yield lineOf(Object.keys(rows[0]));
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    yield rows
      .slice(at, at + rowsAtOnce)
      .map((row) => lineOf(Object.values(row)))
      .join('');
  }
}

const lineOf = (cells: readonly (string | number)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`;

/** A text that a spreadsheet would calculate is shown as it is. */
function cellOf(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
