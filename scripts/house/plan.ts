/**
 * The order of `src/`: its folders, what each may import, and the limits on size and names. A folder that is missing
 * from this table is refused, so a new folder is a decision made here. docs/architecture.md shows the same table.
 */
/** Stands for every published entry file, the only files that a user of the package can import. */
export const PUBLIC = 'public';

export interface Folder {
  /** Folders, or {@link PUBLIC}, whose files this folder may import, types included. */
  readonly mayImport: readonly string[];
  /** Packages it may import; absent means any that package.json declares. `node:` stands for all of Node. */
  readonly packages?: readonly string[];
  /** Single files that may import more than their folder. */
  readonly exceptions?: Readonly<Record<string, readonly string[]>>;
  /** A pure folder uses no clock, no randomness and nothing that depends on the machine's locale. */
  readonly pure?: true;
}

const EFFECT_FOLDERS = ['intake', 'critic', 'roles', 'gateway', 'record'];

export const FOLDERS: Readonly<Record<string, Folder>> = {
  model: { mayImport: [], packages: ['zod'], pure: true },
  kernel: { mayImport: ['model'], packages: [], pure: true },
  critic: { mayImport: ['model'], packages: ['zod'], pure: true },
  ports: { mayImport: ['model'], packages: ['zod'] },
  intake: { mayImport: ['model', 'ports'] },
  roles: { mayImport: ['model', 'critic', 'ports'] },
  gateway: { mayImport: ['model', 'ports'] },
  record: { mayImport: ['model', 'ports'] },
  metrics: { mayImport: ['model'], packages: ['zod'], pure: true },
  session: {
    mayImport: ['model', 'kernel', 'ports'],
    exceptions: {
      'src/session/perform/effects.ts': EFFECT_FOLDERS,
      'src/session/perform/authorize-call.ts': ['gateway'],
    },
  },
  agent: { mayImport: ['model', 'kernel', 'critic', 'ports', 'gateway', 'roles', 'session'] },
  replay: { mayImport: ['model', 'kernel', 'critic'] },
  runtime: { mayImport: ['model', 'kernel', 'ports', ...EFFECT_FOLDERS, 'metrics', 'session', 'agent', 'replay'] },
  eval: { mayImport: ['replay', PUBLIC] },
  tune: { mayImport: ['replay', 'model'] },
  server: { mayImport: [PUBLIC] },
  cli: { mayImport: [PUBLIC] },
  testing: {
    mayImport: ['model', 'kernel', 'critic', 'ports', 'gateway', 'session', 'runtime', 'adapters/memory', PUBLIC],
  },
};

/** Every `adapters/<name>` is a folder of its own with these permissions. An adapter never imports another. */
export const ADAPTER: Folder = { mayImport: ['model', 'ports'] };

/** The composition root: the only file that imports adapters. It may import every folder. */
export const COMPOSE = 'src/compose.ts';

/** The root entry of the package. */
export const ROOT_ENTRY = 'src/index.ts';

/** The entries at the root of `src/`. Each may import every folder and the composition root, but no adapter. */
export const TOP_ENTRIES: readonly string[] = [
  ROOT_ENTRY,
  'src/graph.ts',
  'src/records.ts',
  'src/approvals.ts',
  'src/store.ts',
];

/** The only file with a computed import: it loads the user's config file. */
export const CONFIG_LOADER = 'src/cli/config/load-config.ts';

/** Files that package.json publishes; `test/house/project.test.ts` compares the two lists. */
export const ENTRIES: readonly string[] = [
  ...TOP_ENTRIES,
  'src/model/index.ts',
  'src/testing/index.ts',
  'src/adapters/cedar/index.ts',
  'src/adapters/mcp/index.ts',
  'src/adapters/ai-sdk/index.ts',
];

/** The command that package.json installs. No file imports it. */
export const PROGRAM = 'src/cli/main.ts';

/** Files that run as worker threads, started by their URL. No file imports them. */
export const THREADS: readonly string[] = [
  'src/adapters/sqlite/thread/copying-thread.ts',
  'src/adapters/sqlite/thread/writing-thread.ts',
];

/** The only kernel file that other folders may import. */
export const KERNEL_ENTRY = 'src/kernel/index.ts';

/**
 * The folders of the kernel in order, and `env.ts`: each may import those before it. `kernel/index.ts` may import all of
 * them. The state of a run holds its budget, and the environment holds the compiled graph and the tools of verification.
 */
export const KERNEL_ORDER: readonly string[] = [
  'budget',
  'state',
  'graph',
  'verify',
  'autonomy',
  'env.ts',
  'query',
  'transition',
  'flow',
  'handlers',
  'machine',
];

/**
 * Folders whose files are all of one kind behind one table, with the file that holds the table. They may have any
 * number of files; in return the table imports every one of them.
 */
export const UNIFORM_FOLDERS: Readonly<Record<string, string>> = {
  'src/critic/run': 'src/critic/evaluators/standard-evaluators.ts',
  'src/gateway/layers': 'src/gateway/gateway.ts',
  'src/kernel/verify/checks': 'src/kernel/verify/check-table.ts',
};

/** Contract suites: their functions are test suites, so the limit on function length does not apply. */
export const SUITES = 'src/testing/contracts/';

/** Limits for the files of `src/` that are not tests. */
export const LIMITS = { fileLines: 400, medianLines: 80, p90Lines: 250, functionLines: 70, folderFiles: 25 } as const;

/** Words that no identifier, file or folder of `src/` uses, alone or in the plural. Use the usual technical term instead. */
export const PRIVATE_WORDS: readonly string[] = [
  'room',
  'desk',
  'door',
  'street',
  'seat',
  'bell',
  'heed',
  'beside',
  'told',
  'said',
  'heard',
  'given',
  'kin',
  'whole',
  'way',
];

/** Property names with a private word that signed or published JSON fixes. Only properties may use them. */
export const WIRE_NAMES: readonly string[] = [
  'said', // RunStatement: a person signs these bytes
  'said_by', // ToolCallTrace
];
