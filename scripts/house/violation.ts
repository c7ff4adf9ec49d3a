export const WALLS = [
  'unparsed', // the file cannot be read as TypeScript
  'file-name', // kebab-case
  'default-export',
  'star-export',
  'no-such-room', // a folder the floor plan does not know
  'room', // a room opened one that it may not
  'adapter-named', // an adapter is named outside the composition root
  'adapter-sibling', // an adapter opened another adapter
  'leaves-house', // src imports a test, a script, or anything else that does not ship
  'computed-import', // nobody can tell what this opens
  'outside', // a package or node: module this room may not use
  'undeclared', // a package that package.json does not promise to its users
  'impure', // clock, dice or locale in a pure room
  'cycle',
  'module-mock', // vi.mock and its kin
  'sleep', // a test that waits for real time
  'file-lines',
  'median-lines',
  'p90-lines',
] as const;

export type Wall = (typeof WALLS)[number];

export interface Violation {
  readonly wall: Wall;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export interface House {
  readonly files: ReadonlyMap<string, string>;
  /** Packages a user gets with this one: dependencies and peerDependencies. */
  readonly packages: readonly string[];
}
