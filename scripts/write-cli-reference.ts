/** `npm run docs:cli`: generates `docs/reference/cli.md` from the command table. */
import { writeFileSync } from 'node:fs';
import { cliPage } from './reference/cli-page.ts';

const FILE = new URL('../docs/reference/cli.md', import.meta.url);

writeFileSync(FILE, cliPage());
console.log('docs: wrote docs/reference/cli.md');
