// Light, dark, or as the reader's system has it; remembered. The page reads as well without it.
const root = document.documentElement;
const themes = ['', 'light', 'dark'];
const button = document.querySelector('#theme');

/** @param {string} theme */
function show(theme) {
  root.className = theme;
  if (button !== null) button.textContent = `Theme: ${theme || 'system'}`;
}

/** A private window may refuse both. */
const memory = {
  read() {
    try {
      return localStorage.getItem('theme') ?? '';
    } catch {
      return '';
    }
  },
  /** @param {string} theme */
  write(theme) {
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // It is shown all the same.
    }
  },
};

const remembered = memory.read();
show(themes.includes(remembered) ? remembered : '');
button?.addEventListener('click', () => {
  const theme = themes[(themes.indexOf(root.className) + 1) % themes.length] ?? '';
  memory.write(theme);
  show(theme);
});
