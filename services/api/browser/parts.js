// Buttons that copy, and the fields of a schema where a route uses it.

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

/** Where the page did not come over https the browser has no clipboard. @param {string} text */
function copyWithSelection(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.className = 'away';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

/** @param {Element} block */
function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const frame = document.createElement('div');
  frame.className = 'block';
  block.replaceWith(frame);
  frame.append(button, block);
}

document.addEventListener('click', async ({ target }) => {
  if (!(target instanceof HTMLButtonElement) || !target.classList.contains('copy')) return;
  const copied = await copy(target.parentElement?.querySelector('pre')?.textContent ?? '');
  target.textContent = copied ? 'Copied' : 'Not copied';
  setTimeout(() => {
    target.textContent = 'Copy';
  }, 2_000);
});

/** Fields are written once in the page, with their schema. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    const name = target.dataset['schema'];
    if (name === undefined || target.querySelector('.shape') !== null) return;
    const shape = document.querySelector(`#schema-${CSS.escape(name)} > .shape`);
    if (shape === null) return;
    const shown = /** @type {Element} */ (shape.cloneNode(true));
    for (const part of shown.querySelectorAll('[id]')) part.removeAttribute('id');
    target.append(shown);
  },
  true,
);

for (const block of document.querySelectorAll('pre')) addCopyButton(block);
