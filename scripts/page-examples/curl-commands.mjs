const words =
  /\\\n|[ \t]+|(?:(\w+)=)?\$\(|[\n|;<>)]|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|;<>()])+/g;

const unquoted = (word) =>
  word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (...[, single, double, escaped]) => single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped,
  );

/**
 * The commands of a shell script, word by word, each with the variable that keeps what it prints.
 *
 * @returns {{ keeps?: string | undefined, words: string[] }[]}
 */
function commandsOf(script) {
  /** @type {{ keeps?: string | undefined, words: string[] }[]} */
  const commands = [];
  /** @type {{ keeps?: string | undefined, words: string[] } | undefined} */
  let command;
  for (const [token, keeps] of script.matchAll(words)) {
    if (/^(\\\n|[ \t]+)$/.test(token)) continue;
    if (/^[\n|;<>)]$/.test(token)) {
      command = undefined;
      continue;
    }
    if (command === undefined) {
      command = { keeps, words: [] };
      commands.push(command);
    }
    if (!token.endsWith('$(')) command.words.push(unquoted(token));
  }
  return commands;
}

const isFlags = (word) => /^-[sSN]+$/.test(word);

/** The options of curl that have a value, and what they say of a request. */
const options = {
  '-X': (method) => ({ method }),
  '-H': (header) => {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(header) ?? [];
    return { headers: { [name.toLowerCase()]: value } };
  },
  '-d': (text) => ({ method: 'POST', body: JSON.parse(text) }),
  '-F': (part) => ({ method: 'POST', upload: part.replace(/^file=@/, '') }),
  '--data-binary': (name) => ({ method: 'POST', upload: name.replace(/^@/, '') }),
  '-o': (file) => ({ file }),
};

/**
 * The requests that a script makes with curl. Throws where it uses more of curl than is translated.
 *
 * @returns {{ keeps?: string | undefined, address: string, method: string, headers: Record<string, string>,
 *   body?: unknown, upload?: string, file?: string }[]}
 */
export const curlRequests = (script) =>
  commandsOf(script)
    .filter(({ words: [program] }) => program === 'curl')
    .map(({ keeps, words: [, ...rest] }) => {
      const request = { keeps, address: '', method: 'GET', headers: {} };
      for (const left = rest.filter((word) => !isFlags(word)); left.length > 0;) {
        const word = left.shift() ?? '';
        const read = options[word];
        if (read === undefined && word.startsWith('-')) throw new Error(`curl ${word} is unknown`);
        const { headers, ...said } = read?.(left.shift()) ?? { address: word };
        Object.assign(request, said);
        Object.assign(request.headers, headers);
      }
      return request;
    });
