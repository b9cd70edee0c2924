// `node --import` of this file lets a process or thread that a test starts read TypeScript sources too.
import * as nodeModule from 'node:module';
import { load, resolve } from './load-sources.js';

/** In the types of a later Node than the oldest that is supported. */
const { registerHooks } = /** @type {{ registerHooks?: (hooks: object) => void }} */ (nodeModule);

// In the thread itself where Node can, from 22.15 on: with hooks in a thread of their own, Node 22 loads
// no module for `require()`, and Node 26 warns. Node 20 has the latter only.
if (registerHooks === undefined) nodeModule.register('./load-sources.js', import.meta.url);
else registerHooks({ resolve, load });
