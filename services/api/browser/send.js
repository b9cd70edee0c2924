// Sends a route's request to the gateway that served this page. Keys stay in this page's memory.

/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {'path' | 'query' | 'header'} in
 * @property {boolean} required
 * @property {string} example
 * @property {boolean} [isObject] its pairs stand in the query one by one
 *
 * @typedef {object} Operation
 * @property {string} method
 * @property {string} path
 * @property {string} credential what opens it, or nothing
 * @property {readonly Parameter[]} parameters
 * @property {readonly { summary: string, text: string }[]} bodies
 * @property {boolean} upload
 */

/** @type {Record<string, Operation>} */
const operations = JSON.parse(document.querySelector('#operations')?.textContent ?? '{}');
/** @type {Map<string, string>} */
const keys = new Map();
const longestShown = 200_000;
let fields = 0;

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, unknown>>} properties
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/**
 * @template {HTMLElement} Control
 * @param {string} text
 * @param {Control} control
 * @param {string} note
 */
function labelled(text, control, note = '') {
  fields += 1;
  control.id = `request-${fields}`;
  const label = element('label', { htmlFor: control.id }, element('code', {}, text), ` ${note}`);
  return element('div', { className: 'control' }, label, control);
}

/** @param {string} credential */
function keyControl(credential) {
  const input = element('input', {
    type: 'password',
    autocomplete: 'off',
    spellcheck: false,
    value: keys.get(credential) ?? '',
  });
  input.dataset['credential'] = credential;
  input.addEventListener('input', () => {
    keys.set(credential, input.value.trim());
    for (const other of document.querySelectorAll('input[data-credential]')) {
      if (!(other instanceof HTMLInputElement) || other === input) continue;
      if (other.dataset['credential'] === credential) other.value = input.value;
    }
  });
  return labelled(credential, input, 'kept in this page alone; a reload forgets it');
}

/** @param {Operation} operation */
function parameterControls({ parameters }) {
  return parameters.map((parameter) => {
    const input = parameter.isObject
      ? element('textarea', {
          spellcheck: false,
          rows: 2,
          placeholder: 'name=value, one on each line',
        })
      : element('input', { placeholder: parameter.example });
    input.value = parameter.required ? parameter.example : '';
    const note = `${parameter.in}${parameter.required ? '' : ', optional'}`;
    return { parameter, input, line: labelled(parameter.name, input, note) };
  });
}

/** @param {Operation} operation */
function bodyControls({ bodies, upload }) {
  if (upload) {
    const file = element('input', { type: 'file' });
    return { lines: [labelled('file', file)], file };
  }
  if (bodies.length === 0) return { lines: [] };
  const text = element('textarea', { spellcheck: false, value: bodies[0]?.text ?? '' });
  text.rows = Math.min(18, text.value.split('\n').length + 1);
  const line = labelled('body', text, 'JSON');
  if (bodies.length === 1) return { lines: [line], text };
  const choice = element(
    'select',
    {},
    ...bodies.map(({ summary }, place) => element('option', { value: String(place) }, summary)),
  );
  choice.addEventListener('change', () => {
    text.value = bodies[Number(choice.value)]?.text ?? '';
  });
  return { lines: [labelled('example', choice), line], text };
}

/**
 * @param {Operation} operation
 * @param {ReturnType<typeof parameterControls>} parameters
 * @param {{ text?: HTMLTextAreaElement, file?: HTMLInputElement }} body
 */
function requestOf({ method, path, credential }, parameters, body) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path;
  for (const { parameter, input } of parameters) {
    const value = input.value.trim();
    if (parameter.in === 'path') {
      target = target.replace(`{${parameter.name}}`, encodeURIComponent(value));
    } else if (parameter.isObject) {
      for (const [name, text] of pairsIn(value)) query.append(`${parameter.name}[${name}]`, text);
    } else if (value !== '') {
      const place = parameter.in === 'query' ? query : headers;
      place.append(parameter.name, value);
    }
  }
  const key = keys.get(credential);
  if (key) headers.set('authorization', `Bearer ${key}`);
  const url = query.size === 0 ? target : `${target}?${query}`;
  const content = contentOf(body, headers);
  /** @type {RequestInit} */
  const request = { method, headers, credentials: 'omit', cache: 'no-store' };
  return { url, request: content === undefined ? request : { ...request, body: content } };
}

/** Lines of `name=value`. @param {string} text */
function pairsIn(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = line, value = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
      return /** @type {const} */ ([name.trim(), value.trim()]);
    });
}

/**
 * @param {{ text?: HTMLTextAreaElement, file?: HTMLInputElement }} body
 * @param {Headers} headers
 */
function contentOf({ text, file }, headers) {
  if (text !== undefined) {
    headers.set('content-type', 'application/json');
    return text.value;
  }
  const chosen = file?.files?.[0];
  if (chosen === undefined) return undefined;
  const form = new FormData();
  form.append('file', chosen);
  return form;
}

/** @param {HTMLDetailsElement} panel */
function build(panel) {
  const operation = operations[panel.dataset['operation'] ?? ''];
  if (operation === undefined) return;
  const parameters = parameterControls(operation);
  const { lines, ...body } = bodyControls(operation);
  const send = element('button', { type: 'button', className: 'send' }, 'Send');
  const stop = element('button', { type: 'button', hidden: true }, 'Stop');
  const status = element('p', { className: 'status' });
  status.setAttribute('role', 'status');
  const output = element('pre', {});
  const block = element('div', { className: 'block', hidden: true }, output);
  block.prepend(element('button', { type: 'button', className: 'copy' }, 'Copy'));
  send.addEventListener('click', async () => {
    const controller = new AbortController();
    stop.onclick = () => controller.abort();
    [send.disabled, stop.hidden, block.hidden] = [true, false, false];
    output.textContent = '';
    try {
      const { url, request } = requestOf(operation, parameters, body);
      await perform(url, { ...request, signal: controller.signal }, { status, output });
    } catch (error) {
      status.textContent = controller.signal.aborted ? 'Stopped.' : `No response: ${String(error)}`;
    } finally {
      [send.disabled, stop.hidden] = [false, true];
      block.hidden = output.textContent === '';
    }
  });
  panel.append(
    element('p', { className: 'dim' }, 'Sends a real request to this gateway.'),
    ...(operation.credential === '' ? [] : [keyControl(operation.credential)]),
    ...parameters.map(({ line }) => line),
    ...lines,
    element('div', { className: 'actions' }, send, stop),
    status,
    block,
  );
}

/**
 * @param {string} url
 * @param {RequestInit} request
 * @param {{ status: HTMLElement, output: HTMLElement }} shown
 */
async function perform(url, request, { status, output }) {
  const startedAt = performance.now();
  status.textContent = 'Waiting for the response …';
  const response = await fetch(url, request);
  const type = response.headers.get('content-type') ?? '';
  const say = (/** @type {string} */ more) => {
    const ms = Math.round(performance.now() - startedAt);
    const id = response.headers.get('x-request-id');
    status.textContent = [`${response.status} ${response.statusText}`, `${ms} ms`, id, more]
      .filter((part) => part)
      .join(' · ');
  };
  say('');
  if (!/json|text|event-stream/.test(type)) {
    await response.body?.cancel();
    say(type === '' ? '' : `${type}, not shown here`);
    return;
  }
  await readInto(output, response);
  say(output.textContent.length >= longestShown ? 'cut: too long to show' : '');
  if (type.includes('json')) output.textContent = pretty(output.textContent);
}

/** As it arrives, and no more than a page can hold. @param {HTMLElement} output @param {Response} response */
async function readInto(output, response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    output.append(part.value.slice(0, longestShown - output.textContent.length));
    if (output.textContent.length >= longestShown) await reader?.cancel();
  }
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    if (target.classList.contains('try') && target.childElementCount === 1) build(target);
  },
  true,
);
