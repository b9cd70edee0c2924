import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { curlRequests } from './curl-commands.mjs';

const baseUrl = 'http://localhost:3000';

/** The files of README.md and of the pages in docs/ that people write. */
export function pagesWithExamples() {
  const names = readdirSync(new URL('../../docs', import.meta.url))
    .filter((name) => name.endsWith('.md') && name !== 'examples.md')
    .map((name) => `docs/${name}`);
  return ['README.md', ...names].map((name) =>
    fileURLToPath(new URL(`../../${name}`, import.meta.url)),
  );
}

/** A command of a page, with the comments before it and the programs that follow. */
const command =
  /((?:^<!-- .* -->\n\n?)*)(^```sh\n([^]*?)\n```$)((?:\n\n<details><summary>(?:TypeScript|Python)<\/summary>\n\n```[^]*?\n```\n\n<\/details>)*)/gm;

/** What a customer sends; the rest is the operator's. */
const isCustomers = (script) =>
  new RegExp(`curl\\b[^\\n]*(\\\\\\n[^\\n]*)*${baseUrl}/(v1|mcp)\\b`).test(script);

/**
 * A page with the programs that do the same as its curl commands, folded up below each of them. A
 * command is left alone behind the comment `curl alone: …`, which says why, and where its programs
 * stand on the page already.
 *
 * @param {string} page
 * @param {import('./page-examples.d.mts').Reference} reference
 */
export function withExamples(page, reference) {
  const shown = new Set();
  return page.replace(command, (...[, comments, block, script]) => {
    if (!isCustomers(script) || comments.includes('<!-- curl alone: ')) return comments + block;
    const programs = programsOf(script, reference).filter(({ code }) => !shown.has(code));
    for (const { code } of programs) shown.add(code);
    return [comments + block, ...programs.map(folded)].join('\n\n');
  });
}

const folded = ({ title, fence, code }) =>
  `<details><summary>${title}</summary>\n\n\`\`\`${fence}\n${code}\n\`\`\`\n\n</details>`;

function programsOf(script, { document, languages }) {
  const requests = [];
  for (const sent of curlRequests(script)) requests.push(exampleOf(document, sent, requests));
  return ['TypeScript', 'Python'].map((title) => ({
    title,
    fence: title === 'Python' ? 'python' : 'ts',
    code: languages[title](baseUrl, ...requests),
  }));
}

/** What was sent as an example of the document, so that it is written as those are. */
function exampleOf(document, sent, earlier) {
  const { address, ...request } = sent;
  if (address.startsWith('$')) {
    const named = earlier.find(({ keeps }) => address === `$${keeps}`);
    if (named === undefined) throw new Error(`no request above keeps ${address}`);
    const { summary, ids } = named;
    return {
      ...request,
      operation: 'getVideoContent',
      summary,
      path: address,
      ids,
      query: {},
      returns: 'file',
    };
  }
  const { pathname, searchParams } = new URL(address.replaceAll('$', '%24'));
  const query = Object.fromEntries(searchParams);
  const parts = pathname.replaceAll('%24', '$').split('/');
  const [template, methods] = operationAt(document, request.method, parts);
  const { operationId, summary } = methods[request.method.toLowerCase()];
  return {
    ...request,
    operation: operationId,
    summary,
    path: address.slice(baseUrl.length),
    ids: parts.filter((_part, at) => template[at].startsWith('{')),
    query,
    returns: returnsOf(request, query),
  };
}

function operationAt(document, method, parts) {
  const found = Object.entries(document.paths)
    .map(([path, methods]) => [path.split('/'), methods])
    .find(
      ([template, methods]) =>
        method.toLowerCase() in methods &&
        template.length === parts.length &&
        template.every((part, at) => part.startsWith('{') || part === parts[at]),
    );
  if (found === undefined) throw new Error(`the document has no ${method} ${parts.join('/')}`);
  return found;
}

function returnsOf({ file, headers, body }, query) {
  if (file !== undefined) return 'file';
  if (headers.accept === 'text/event-stream' || body?.stream === true) return 'stream';
  const isText = query.format === 'csv' || headers.accept?.includes('text/event-stream');
  return isText ? 'text' : 'json';
}
