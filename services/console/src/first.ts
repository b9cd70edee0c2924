import { askEarly } from './gateway/early.ts';
import { applyTheme } from './theme.ts';

// A script of its own, and a small one: the gateway is asked while the large one is on its way.
applyTheme();
askEarly(window.location.pathname);
