import { spawnSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const ROOT = realpathSync(new URL('../..', import.meta.url).pathname);
const MAIN = join(ROOT, 'src/cli/main.ts');

export interface CommandResult {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** A temporary project with the package installed. Its commands run as real processes. */
export interface Project {
  readonly folder: string;
  /** The program and its first argument, for tests that spawn the process themselves. */
  readonly command: readonly string[];
  ambit(...args: readonly string[]): CommandResult;
  /** Runs a command in another folder or with environment variables. */
  ambitWith(
    options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
    ...args: readonly string[]
  ): CommandResult;
  /** Runs a command with `--json` and parses its output. */
  json<T>(...args: readonly string[]): T;
  read(name: string): string;
  write(name: string, text: string): void;
  /** Flips one bit of the first frame of a session in the store file. */
  damage(store: string, session: string): void;
  /** Adds the agent `support`, which looks an order up and refunds it after an approval, by a written plan. */
  addSupportAgent(): void;
  remove(): void;
}

export function openProject(): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ambit-cli-')));
  install(folder);
  const ambitWith: Project['ambitWith'] = ({ cwd = folder, env = {} }, ...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd,
      encoding: 'utf8',
      env: { ...cleanEnvironment(process.env), ...env },
      input: '',
    });
    return { exit: status, out: stdout, err: stderr };
  };
  return {
    folder,
    command: [process.execPath, MAIN],
    ambit: (...args) => ambitWith({}, ...args),
    ambitWith,
    json: <T>(...args: readonly string[]): T => {
      const { out, err } = ambitWith({}, ...args, '--json');
      if (out === '') throw new Error(`nothing on standard output: ${err}`);
      return JSON.parse(out) as T;
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write: (name, text) => {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      // The package is linked into the project. Tests must not write through the link.
      if (!realpathSync(dirname(file)).startsWith(folder) || isLink(file))
        throw new Error(`${file} is outside the project`);
      writeFileSync(file, text);
    },
    damage: (store, session) => {
      const database = new DatabaseSync(join(folder, store));
      const first = database.prepare(
        'select row, events from frames where sid = (select sid from sessions where session_id = ?) order by seq limit 1',
      );
      const { row = null, events } = first.get(session) ?? {};
      database.prepare('update frames set events = ? where row = ?').run(flipBit(events), row);
      database.close();
    },
    addSupportAgent: () => {
      cpSync(join(ROOT, 'test/cli/support-agent'), folder, { recursive: true });
      cpSync(join(ROOT, 'templates/shared/tsconfig.json'), join(folder, 'tsconfig.json'));
      cpSync(join(ROOT, 'templates/shared/_package.json'), join(folder, 'package.json'));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function cleanEnvironment({
  FORCE_COLOR,
  NO_COLOR,
  AMBIT_AS,
  AMBIT_KEY,
  AMBIT_TOKEN,
  ...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

/** Flips the last bit of the middle byte of a text or packed frame. */
function flipBit(stored: unknown): string | Uint8Array {
  const bytes = Buffer.from(stored as string | Uint8Array);
  const middle = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  return typeof stored === 'string' ? bytes.toString() : bytes;
}

const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Installs the package from its source. The exports of its manifest point to `src` instead of `dist`. */
function install(folder: string): void {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'ambit');
  mkdirSync(own, { recursive: true });
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join(ROOT, 'src'), join(own, 'src'));
  symlinkSync(join(ROOT, 'node_modules/zod'), join(modules, 'zod'));
  const manifest: { exports: Record<string, unknown> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([path, target]) => [path, toSource(target)]),
  );
  writeFileSync(join(own, 'package.json'), JSON.stringify({ ...manifest, exports }));
}

const toSource = (target: unknown): unknown =>
  typeof target === 'object' && target !== null && 'default' in target
    ? String(target.default).replace('./dist/', './src/').replace(/\.js$/, '.ts')
    : target;
