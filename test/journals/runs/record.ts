/**
 * Records runs as bundles, to be replayed by every later version: `npm run record:journals -- <label> [run…]`. The
 * label becomes part of the file names, such as the version that wrote them. Existing recordings are not overwritten.
 */

import { hash } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER, LIST } from './kept.ts';
import { RECIPES } from './recipes.ts';

const [label, ...wanted] = process.argv.slice(2);
if (label === undefined || !/^[a-z0-9.-]+$/.test(label)) {
  console.error('usage: npm run record:journals -- <label> [run…], such as 0.1.0 gate replan');
  process.exit(2);
}
for (const name of wanted.length === 0 ? Object.keys(RECIPES) : wanted) {
  const recipe = RECIPES[name];
  if (recipe === undefined) {
    console.error(`there is no run ${name}; there are ${Object.keys(RECIPES).join(', ')}`);
    process.exit(2);
  }
  const file = `${name}-${label}.bundle`;
  if (existsSync(join(FOLDER, file))) {
    console.log(`${file}: recorded already`);
    continue;
  }
  const { bench, runId } = await recipe();
  await bench.runtime.records.replay(runId);
  const bytes = await bench.runtime.records.export(runId);
  writeFileSync(join(FOLDER, file), bytes);
  appendFileSync(LIST, `${hash('sha256', bytes, 'hex')}  ${file}\n`);
  console.log(`${file}: ${bytes.length} bytes, ${await bench.runtime.records.account(runId)}`);
}
