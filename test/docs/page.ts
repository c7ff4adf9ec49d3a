/** A page of the documentation, as its fixture in `test/docs/pages/` uses it. */
import type { Fence } from './markdown.ts';

// biome-ignore lint/suspicious/noExplicitAny: the compiler checks the blocks themselves; a fixture calls what they export.
export type Exports = Readonly<Record<string, any>>;

/** The command lines of a page run in its folder, after the packages of the repository were installed there. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

export interface Page {
  /** The current folder: a project with every block that names a file, and with the packages of the repository. */
  readonly folder: string;
  /** Executes a TypeScript block, counted from 1, and returns its exports. */
  load(place: number): Promise<Exports>;
  /** Runs a TypeScript block as a program of its own: `node --test agent.test.ts` is `run(3, ['node', '--test'])`. */
  run(place: number, command: readonly string[]): Promise<CommandOutput>;
  /** The block of another language, such as `json`, counted from 1. */
  read(language: string, place: number): string;
}

/** The function `run` of a fixture. */
export type PageFixture = (page: Page) => Promise<void>;

/** The message from the test to the process that executes a page. */
export interface PageOrder {
  readonly fixture: string | null;
  /** The file of each TypeScript block. */
  readonly files: readonly string[];
  /** The blocks that a part of the product reads. */
  readonly data: readonly Fence[];
}
