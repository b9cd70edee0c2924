// Finds routes, fields, parameters, schemas and error codes by what the page says of them.
const most = 60;
const input = /** @type {HTMLInputElement} */ (document.querySelector('#find'));
const results = /** @type {HTMLElement} */ (document.querySelector('#results'));
const count = /** @type {HTMLElement} */ (document.querySelector('#found'));
const routes = /** @type {HTMLElement} */ (document.querySelector('#routes'));
const menu = /** @type {HTMLElement} */ (document.querySelector('#menu'));

/**
 * @typedef {object} Entry
 * @property {string} anchor
 * @property {string} name what is searched first
 * @property {string} place where it belongs
 * @property {string} text all the words, in lower case
 */

/** @type {readonly Entry[] | undefined} */
let index;

/** Built from the page at the first search. */
function entries() {
  index ??= [...routeEntries(), ...fieldEntries()];
  return index;
}

function routeEntries() {
  return [...document.querySelectorAll('article')].map((article) => {
    const title = article.querySelector('h3')?.textContent ?? '';
    const route = article.dataset['route'];
    const codes = [...article.querySelectorAll('summary')].map(({ textContent }) => textContent);
    return {
      anchor: article.id,
      name: route ?? title,
      place: route === undefined ? 'Schema' : title,
      text: [route, title, article.querySelector('.about')?.textContent, ...codes]
        .join(' ')
        .toLowerCase(),
    };
  });
}

function fieldEntries() {
  return [...document.querySelectorAll('.fields li[id]')].map((field) => {
    const article = field.closest('article');
    const name = field.querySelector('code')?.textContent ?? '';
    return {
      anchor: field.id,
      name,
      place: article?.dataset['route'] ?? article?.querySelector('h3')?.textContent ?? '',
      text: `${name} ${field.querySelector(':scope > p')?.textContent ?? ''}`.toLowerCase(),
    };
  });
}

/**
 * Lower is better.
 * @param {Entry} entry
 * @param {string} wanted
 */
function rank({ name, place }, wanted) {
  const known = name.toLowerCase();
  if (known === wanted || known.endsWith(` ${wanted}`)) return 0;
  if (known.startsWith(wanted)) return 1;
  if (known.includes(wanted)) return 2;
  return place.toLowerCase().includes(wanted) ? 3 : 4;
}

/** @param {string} wanted */
function find(wanted) {
  const words = wanted.split(/\s+/);
  return entries()
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map((entry) => ({ entry, rank: rank(entry, wanted) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}

function search() {
  const wanted = input.value.trim().toLowerCase();
  const found = wanted === '' ? [] : find(wanted);
  routes.hidden = wanted !== '';
  results.hidden = wanted === '';
  results.replaceChildren(...found.slice(0, most).map(item));
  count.textContent =
    wanted === ''
      ? ''
      : `${found.length} found${found.length > most ? `, the first ${most} shown` : ''}`;
  openMenu(wanted !== '' || menu.getAttribute('aria-expanded') === 'true');
}

/** @param {Entry} entry */
function item({ anchor, name, place }) {
  const link = document.createElement('a');
  link.href = `#${anchor}`;
  const what = document.createElement('code');
  what.textContent = name;
  const where = document.createElement('span');
  where.className = 'dim';
  where.textContent = place;
  link.append(what, ' ', where);
  const line = document.createElement('li');
  line.append(link);
  return line;
}

/** On narrow windows the list is folded away. @param {boolean} open */
function openMenu(open) {
  menu.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('open', open);
}

menu.hidden = false;
document.body.classList.add('folding');
menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'));
input.addEventListener('input', search);
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') results.querySelector('a')?.click();
  if (key === 'Escape') {
    input.value = '';
    search();
  }
});
document.querySelector('#lists')?.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a') !== null) openMenu(false);
});
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input,textarea,select');
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});
