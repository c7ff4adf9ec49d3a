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

/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
export const fences = (text: string): readonly Fence[] =>
  Array.from(text.matchAll(/^```(?<language>\w*)\n(?<text>.*?)^```$/gms), ({ groups }) => ({
    language: groups?.['language'] ?? '',
    text: groups?.['text'] ?? '',
  }));

/** The blocks of one language, in order. */
export const blocksIn = (text: string, language: string): readonly string[] =>
  fences(text).flatMap((fence) => (fence.language === language ? [fence.text] : []));

/** The TypeScript blocks of a page, in order. */
export const snippets = (text: string): readonly string[] => blocksIn(text, 'ts');

/** A file of the reader's project: the name that its first line states, such as `// src/agent.ts`, and its text. */
export interface NamedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * The programs of a page: its TypeScript blocks as files. `// a.ts, continued` adds a block to the program of that name.
 * A program without a name is called after its place.
 */
export function programs(text: string): readonly NamedFile[] {
  const files = new Map<string, string>();
  for (const code of snippets(text)) {
    const name = nameOf(code) ?? `program-${files.size + 1}.ts`;
    files.set(name, `${files.get(name) ?? ''}${code}`);
  }
  return Array.from(files, ([name, code]) => ({ name, text: code }));
}

/** The file that the first line of a block names. */
export const nameOf = (text: string): string | undefined =>
  /^(?:\/\/|#) (?<name>[\w./-]+\.\w+)(, continued)?\n/.exec(text)?.groups?.['name'];
