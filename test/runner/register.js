// `node --import` of this file lets a process or thread that a test starts read TypeScript sources too.
import { register } from 'node:module';

register('./load-sources.js', import.meta.url);
