/** `npm run lock`: adds the binaries of all platforms to package-lock.json after a dependency has changed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { completeEntries } from './lockfile/complete.ts';

const FILE = new URL('../package-lock.json', import.meta.url);

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const packages = completeEntries(lock.packages);
const added = Object.keys(packages).length - Object.keys(lock.packages).length;
writeFileSync(FILE, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.log(`lock: ${added} entries added`);
