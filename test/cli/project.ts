import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = realpathSync(new URL('../..', import.meta.url).pathname);
const MAIN = join(ROOT, 'src/cli/main.ts');

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder as somebody has it who installed the package, with real processes of the command line in it. */
export interface Project {
  readonly folder: string;
  ambit(...args: readonly string[]): Ended;
  /** Elsewhere than in the folder, or with something in the environment. */
  ambitWith(options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv }, ...args: readonly string[]): Ended;
  /** What it prints with `--json`, read. */
  json<T>(...args: readonly string[]): T;
  read(name: string): string;
  write(name: string, text: string): void;
  remove(): void;
}

export function openProject(): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ambit-cli-')));
  install(folder);
  const ambitWith: Project['ambitWith'] = ({ cwd = folder, env = {} }, ...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd,
      encoding: 'utf8',
      env: { ...withoutColours(process.env), ...env },
      input: '',
    });
    return { exit: status, out: stdout, err: stderr };
  };
  return {
    folder,
    ambit: (...args) => ambitWith({}, ...args),
    ambitWith,
    json: <T>(...args: readonly string[]): T => {
      const { out, err } = ambitWith({}, ...args, '--json');
      if (out === '') throw new Error(`nothing on standard output: ${err}`);
      return JSON.parse(out) as T;
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write: (name, text) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function withoutColours({
  FORCE_COLOR,
  NO_COLOR,
  AMBIT_AS,
  AMBIT_KEY,
  AMBIT_TOKEN,
  ...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

/** The package under its name, from its source: its doors are those of the manifest. */
function install(folder: string): void {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'ambit');
  mkdirSync(own, { recursive: true });
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join(ROOT, 'src'), join(own, 'src'));
  for (const name of ['zod', 'typescript', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync(join(ROOT, 'node_modules/.bin/tsc'), join(modules, '.bin/tsc'));
  const manifest: { exports: Record<string, unknown> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([door, target]) => [door, sourceOf(target)]),
  );
  writeFileSync(join(own, 'package.json'), JSON.stringify({ ...manifest, exports }));
}

const sourceOf = (target: unknown): unknown =>
  typeof target === 'object' && target !== null && 'default' in target
    ? String(target.default).replace('./dist/', './src/').replace(/\.js$/, '.ts')
    : target;
