/** Every rule of the checker, by the name it reports. */
export const RULES = [
  'syntax', // the file does not parse as TypeScript
  'file-name', // kebab-case
  'default-export',
  'star-export',
  'unknown-folder', // a folder of src that plan.ts does not list
  'folder-import', // a folder imports one that it may not
  'adapter-import', // a file other than compose.ts imports an adapter
  'adapter-sibling', // an adapter imports another adapter
  'not-shipped', // src imports a test, a script, or another file that is not published
  'computed-import', // an expression computes the target
  'package', // a package or node: module that this folder may not use
  'undeclared-package', // a package that package.json does not declare for users
  'impure', // clock, randomness or locale in a pure folder
  'cycle',
  'kernel-order', // a kernel folder imports one to its right
  'kernel-entry', // another folder imports a kernel file other than index.ts
  'module-mock', // vi.mock and its variants
  'sleep', // a test that waits for real time
  'file-lines',
  'median-lines',
  'p90-lines',
  'function-lines',
  'folder-size', // too many files in one folder
  'uniform-folder', // the table of a uniform folder does not import all of its files
  'private-word', // an identifier, file or folder name uses a private word
  'double-name', // two files export the same name
] as const;

export type Rule = (typeof RULES)[number];

export interface Violation {
  readonly rule: Rule;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The repository as the checker sees it. */
export interface Project {
  /** Maps a path from the repository's root, such as `src/kernel/step.ts`, to its text. */
  readonly files: ReadonlyMap<string, string>;
  /** Packages that users install with this one: dependencies and peerDependencies. */
  readonly packages: readonly string[];
}
