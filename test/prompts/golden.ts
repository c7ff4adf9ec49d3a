/** Each prompt is kept as a text file, so that a review shows every change: prompts determine how a model behaves. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const FOLDER = new URL('golden/', import.meta.url);

/** Compares with the committed text. `UPDATE_GOLDEN=1 npx vitest run test/prompts` rewrites it. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(`${name}.txt`, FOLDER);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
  }
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(text, `the prompt ${name} has changed: UPDATE_GOLDEN=1 npx vitest run test/prompts keeps it so`).toBe(kept);
}
