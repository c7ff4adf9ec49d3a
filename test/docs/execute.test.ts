/** Proves that every TypeScript block of every page runs, and that the page shows its output. */
import { expect, test } from 'vitest';
import { fences, pages } from './markdown.ts';
import { DATA, runPage, shownBy } from './run-page.ts';

/** A page with programs starts a process, possibly on a busy machine. */
const SLOW = 240_000;

const programmed = pages().filter(({ text }) =>
  fences(text).some(({ language }) => ['ts', ...DATA].includes(language)),
);

test.concurrent.each(programmed.map(({ path, text }) => [path, text] as const))(
  'every block of %s runs and prints the output that the page shows',
  { timeout: SLOW },
  async (path, text) => {
    const { exit, stdout, stderr } = await runPage(path, text);
    expect({ exit, stdout: lines(stdout), stderr }).toEqual({ exit: 0, stdout: lines(shownBy(text)), stderr: '' });
  },
);

/** A program may end without a new line. */
const lines = (text: string): readonly string[] => text.trimEnd().split('\n');
