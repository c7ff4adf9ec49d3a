/**
 * The floor plan of `src/`: which room may open which. A room missing from this table does not exist,
 * so a new folder is a decision made here, in the open.
 */

/** Stands for every published door: what a user of the package can import, and nothing else. */
export const PUBLIC = 'public';

export interface Room {
  /** Rooms, or {@link PUBLIC}, whose files this room may import, types included. */
  readonly opens: readonly string[];
  /** Packages from outside; absent means any that package.json declares. `node:` stands for all of Node. */
  readonly outside?: readonly string[];
  /** Files that may open more than their room: the seams, each one file. */
  readonly seams?: Readonly<Record<string, readonly string[]>>;
  /** A pure room reads no clock, rolls no dice and does not depend on the machine's locale. */
  readonly pure?: true;
}

const EFFECT_ROOMS = ['intake', 'critic', 'roles', 'gateway', 'gates', 'record'];

export const ROOMS: Readonly<Record<string, Room>> = {
  model: { opens: [], outside: ['zod'], pure: true },
  kernel: { opens: ['model'], outside: [], pure: true },
  critic: { opens: ['model'], outside: ['zod'], pure: true },
  ports: { opens: ['model'], outside: ['zod'] },
  intake: { opens: ['model', 'ports'] },
  roles: { opens: ['model', 'critic', 'ports'] },
  gateway: { opens: ['model', 'ports'] },
  gates: { opens: ['model', 'ports'] },
  record: { opens: ['model', 'ports'] },
  session: {
    opens: ['model', 'kernel', 'ports'],
    seams: { 'src/session/effects.ts': EFFECT_ROOMS, 'src/session/clearing.ts': ['gateway'] },
  },
  replay: { opens: ['model', 'kernel', 'critic'] },
  facade: { opens: ['model', 'kernel', 'ports', 'session', 'replay', ...EFFECT_ROOMS] },
  eval: { opens: ['replay', PUBLIC] },
  tune: { opens: ['replay', 'model'] },
  server: { opens: [PUBLIC] },
  cli: { opens: [PUBLIC] },
  testing: { opens: ['model', 'kernel', 'critic', 'ports', 'gateway', 'session', 'adapters/memory'] },
};

/** Every `adapters/<name>` is a room of its own with these doors; none sees another. */
export const ADAPTER: Room = { opens: ['model', 'ports'] };

/** The composition root: the only file that names an adapter. It may open every room. */
export const COMPOSE = 'src/compose.ts';

/** The front door: it may open every room and the composition root, but no adapter. */
export const FACADE = 'src/index.ts';

/** The only file that imports by a name it has not written itself: what somebody's config is called, only they know. */
export const LOADER = 'src/cli/config/load-config.ts';

/** Files that package.json publishes; `test/house/house.test.ts` holds the two lists together. */
export const DOORS: readonly string[] = [
  FACADE,
  'src/model/index.ts',
  'src/testing/index.ts',
  'src/adapters/cedar/index.ts',
  'src/adapters/mcp/index.ts',
  'src/adapters/ai-sdk/index.ts',
];

/** What package.json installs as a command. Nobody imports it. */
export const PROGRAM = 'src/cli/main.ts';

/** What runs in threads of their own. Nobody imports them: they are started by their addresses. */
export const THREADS: readonly string[] = [
  'src/adapters/sqlite/thread/copying-thread.ts',
  'src/adapters/sqlite/thread/writing-thread.ts',
];

/** Numbers to hold, for files in `src/` that are not tests. */
export const SIZE = { maxLines: 400, medianLines: 80, p90Lines: 250 } as const;
