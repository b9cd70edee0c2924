const maxReasonCharacters = 300;
const maxDetailCharacters = 500;
/** Vendors write a sentence; what comes after this many characters is not read. */
const maxReadCharacters = 2_000;
const removed = '…';

/**
 * What never reaches a customer, in the order in which it is taken out: later rules assume that the
 * earlier ones ran.
 */
const removals: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/[\p{Cc}\p{Cf}\s]+/gu, ' '],
  // Addresses: links, data URLs, resource names, mail, hosts, IP addresses.
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, removed],
  [/\b(?:data|trn|arn|urn):[^\s"'<>]+/gi, removed],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, removed],
  [
    /\b(?:[a-z0-9-]+\.)+(?:com|net|org|cn|io|ai|cloud|local|internal)\b(?:[:/][^\s"'<>]*)?/gi,
    removed,
  ],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, removed],
  // "Request id: 0217…", "(task_id=abc)": the label goes with the value.
  [
    /[\s,;([{]*\b(?:client[ _-]?)?(?:request|trace|log|task|account|user|endpoint|project|model)[ _-]?id["'`]?(?:\s*[:=#]\s*["'`]?[\w.-]+|\s+(?:is\s+)?["'`]?(?=[\w-]*\d)[\w-]+)["'`)\]}]*/gi,
    '',
  ],
  // Names of accounts and the like, quoted, after a colon, or looking like an identifier.
  [
    /\b(account|user|project|organi[sz]ation|tenant|workspace|endpoint)((?: name)?\s*[:=]?\s*)["'`“‘][^"'`”’]{1,100}["'`”’]/gi,
    `$1$2${removed}`,
  ],
  [
    /\b(account|tenant|workspace|organi[sz]ation)(?: name)?(?:\s*[:=]\s*[^\s,;]+|\s+(?=[^\s,;]*[-_@\d])[^\s,;]+)/gi,
    `$1 ${removed}`,
  ],
  // Identifiers: a known prefix, a long token with a digit in it, hexadecimal, a long number.
  [
    /(?<![\w-])(?:cgt|ep|asset|ak|sk|req|task|file|proj|org|acct|acc|usr|bot)[-_](?=[\w-]*\d)[\w-]+/gi,
    removed,
  ],
  [/(?<![\w-])(?=[\w-]*\d)[\w-]{16,}/g, removed],
  [/\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, removed],
  [/\b\d{9,}\b/g, removed],
  // What is left of the punctuation around them.
  [/["'`(<[{]\s*…\s*["'`)>\]}]/g, removed],
  [/…(?:[\s,;]*…)+/g, removed],
  [/\s+([.,;:!?])/g, '$1'],
];

/**
 * A vendor's sentence as a customer may see it: without ids, addresses and account names, one line,
 * at most 300 characters. Undefined when nothing readable is left.
 */
export function cleanReason(sentence: string | undefined): string | undefined {
  if (sentence === undefined) return undefined;
  const cleaned = removals
    .reduce(
      (text, [pattern, replacement]) => text.replace(pattern, replacement),
      sentence.slice(0, maxReadCharacters),
    )
    .trim();
  return /[\p{L}\p{N}]/u.test(cleaned) ? cut(cleaned, maxReasonCharacters) : undefined;
}

/**
 * Text for a log: one line, bounded, and without the query of any link, which may be a signature.
 */
export function logText(text: string): string {
  const line = text
    .slice(0, maxReadCharacters)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/(\bhttps?:\/\/[^\s"'?]+)\?[^\s"']*/gi, `$1?${removed}`)
    .trim();
  return cut(line, maxDetailCharacters);
}

/** At most `limit` code points, so that no surrogate pair is torn. */
function cut(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}
