#!/usr/bin/env node
// gw, the customer's command: what it does is in src, which this finds compiled.
import { existsSync } from 'node:fs';
import process from 'node:process';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('gw is not compiled yet: run "npm start" or "npm run build" first.\n');
  process.exitCode = 1;
}
