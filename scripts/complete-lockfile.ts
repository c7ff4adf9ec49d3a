/** `npm run lock`: after a dependency has changed, makes package-lock.json hold every platform's binaries. */
import { readFileSync, writeFileSync } from 'node:fs';
import { completePlaces } from './lockfile/complete.ts';

const FILE = new URL('../package-lock.json', import.meta.url);

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const packages = completePlaces(lock.packages);
const added = Object.keys(packages).length - Object.keys(lock.packages).length;
writeFileSync(FILE, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.log(`lock: ${added} places added`);
