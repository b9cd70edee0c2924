/** Light or dark, where somebody has chosen; otherwise what the system says. */
export type Theme = 'light' | 'dark';

const storageName = 'gateway.theme';

const chosen = (): Theme | undefined => {
  const stored = localStorage.getItem(storageName);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
};

const currentTheme = (): Theme =>
  chosen() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

export function applyTheme(): void {
  const theme = chosen();
  if (theme !== undefined) document.documentElement.dataset['theme'] = theme;
}

export function switchTheme(): void {
  localStorage.setItem(storageName, currentTheme() === 'dark' ? 'light' : 'dark');
  applyTheme();
}
