// Examples in one language at a time; without this script they stand one below the other.

let tabs = 0;
/** @type {((language: string) => void)[]} */
const choosers = [];

/** A private window may refuse both. */
const memory = {
  read() {
    try {
      return localStorage.getItem('language') ?? '';
    } catch {
      return '';
    }
  },
  /** @param {string} language */
  write(language) {
    try {
      localStorage.setItem('language', language);
    } catch {
      // It is shown all the same.
    }
  },
};

/** @param {string} language */
function choose(language) {
  memory.write(language);
  for (const chooser of choosers) chooser(language);
}

const steps = /** @type {Readonly<Record<string, number>>} */ ({ ArrowLeft: -1, ArrowRight: 1 });

/** @param {Element} group */
function addTabs(group) {
  const panels = /** @type {HTMLElement[]} */ ([...group.children]);
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language of the example');
  const buttons = panels.map((panel) => {
    tabs += 1;
    const button = document.createElement('button');
    button.type = 'button';
    button.id = `tab-${tabs}`;
    button.textContent = panel.dataset['language'] ?? '';
    button.setAttribute('role', 'tab');
    button.setAttribute('aria-controls', `panel-${tabs}`);
    button.addEventListener('click', () => choose(button.textContent ?? ''));
    panel.id = `panel-${tabs}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', button.id);
    return button;
  });
  list.addEventListener('keydown', (event) => {
    const at = buttons.findIndex((button) => button === event.target);
    const step = steps[event.key];
    if (at < 0 || step === undefined) return;
    const next = buttons[(at + step + buttons.length) % buttons.length];
    next?.focus();
    next?.click();
  });
  list.append(...buttons);
  group.prepend(list);
  choosers.push((language) => {
    for (const [place, panel] of panels.entries()) {
      const isChosen = panel.dataset['language'] === language;
      panel.hidden = !isChosen;
      buttons[place]?.setAttribute('aria-selected', String(isChosen));
      if (buttons[place]) buttons[place].tabIndex = isChosen ? 0 : -1;
    }
  });
}

const groups = [...document.querySelectorAll('.languages')];
const names = [...(groups[0]?.children ?? [])].map(
  (panel) => /** @type {HTMLElement} */ (panel).dataset['language'] ?? '',
);
for (const group of groups) addTabs(group);
const remembered = memory.read();
for (const chooser of choosers) chooser(names.includes(remembered) ? remembered : (names[0] ?? ''));
