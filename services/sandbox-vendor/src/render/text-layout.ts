export interface TextBox {
  readonly maxWidth: number;
  readonly maxLines: number;
}

type Fits = (line: string) => boolean;

/** A word or a part of one, with what stands between it and the piece before. */
interface Piece {
  readonly text: string;
  readonly gap: ' ' | '';
}

/**
 * Breaks text into lines no wider than the box; words wider than a line are cut, and what does not
 * fit ends in an ellipsis.
 */
export function wrapText(
  text: string,
  { maxWidth, maxLines }: TextBox,
  measure: (line: string) => number,
): readonly string[] {
  const fits: Fits = (line) => measure(line) <= maxWidth;
  const lines: string[] = [];
  for (const piece of piecesOf(text, fits)) {
    const longer = `${lines.at(-1) ?? ''}${piece.gap}${piece.text}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(piece.text);
  }
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), shorten(lines[maxLines - 1] ?? '', fits)];
}

const piecesOf = (text: string, fits: Fits): readonly Piece[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) =>
      cut(word, fits).map((part, index) => ({ text: part, gap: index === 0 ? ' ' : '' })),
    );

function cut(word: string, fits: Fits): readonly string[] {
  if (fits(word)) return [word];
  const parts: string[] = [];
  for (const character of word) {
    const longer = `${parts.at(-1) ?? ''}${character}`;
    if (parts.length > 0 && fits(longer)) parts[parts.length - 1] = longer;
    else parts.push(character);
  }
  return parts;
}

function shorten(line: string, fits: Fits): string {
  const characters = Array.from(line);
  while (characters.length > 0 && !fits(`${characters.join('').trimEnd()}…`)) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** `0:03.2` */
export function clockText(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  const rest = tenths - minutes * 600;
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, '0')}.${rest % 10}`;
}

/** `0:05`; a part of a second is shown, since it is unusual. */
export const lengthText = (seconds: number): string => clockText(seconds).replace(/\.0$/, '');
