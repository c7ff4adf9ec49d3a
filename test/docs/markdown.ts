import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT: string = new URL('../..', import.meta.url).pathname;

const PATTERNS = ['*.md', 'docs/**/*.md', 'examples/**/*.md'];

/** Every Markdown page for readers of the repository: its path from the root and its text. */
export function pages(): readonly { readonly path: string; readonly text: string }[] {
  return PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The TypeScript blocks of a page, in order. */
export function snippets(text: string): readonly string[] {
  return Array.from(text.matchAll(/^```ts\n(?<code>.*?)^```$/gms), ({ groups }) => groups?.['code'] ?? '');
}
