/** `npm run docs:cli`: writes `docs/reference/cli.md` anew after a command has changed. */
import { writeFileSync } from 'node:fs';
import { cliPage } from './reference/cli-page.ts';

const FILE = new URL('../docs/reference/cli.md', import.meta.url);

writeFileSync(FILE, cliPage());
console.log('docs: docs/reference/cli.md is what the table says');
