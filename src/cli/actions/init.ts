import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Fault } from '../../index.ts';
import type { Action } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import { dependencyOnThis, PACKAGE } from '../own-package.ts';

const TEMPLATE = join(PACKAGE, 'templates', 'agent');

/** Names that npm would leave out of a package, or read as something else, are kept under others. */
const KEPT_AS: Readonly<Record<string, string>> = { _gitignore: '.gitignore', '_package.json': 'package.json' };

/** What a folder may have already and keeps as it is. */
const KEPT: readonly string[] = ['package.json', 'README.md', '.gitignore'];

/** Writes a working agent into a folder. A file that is there is never written over. */
export const init: Action = async ({ terminal, words }) => {
  const folder = resolve(words['folder'] ?? '.');
  const files = filesOf(TEMPLATE).map((from) => ({ from, to: join(folder, nameOf(from)) }));
  const taken = files.filter(({ to }) => existsSync(to)).map(({ to }) => relative(folder, to));
  const hasManifest = taken.includes('package.json');
  const inTheWay = taken.filter((name) => !KEPT.includes(name)).toSorted();
  if (inTheWay.length > 0) {
    const message = `${folder} has ${inTheWay.join(', ')} already, and nothing is written over: take an empty folder`;
    throw new Fault('input_invalid', message);
  }
  const written = files.filter(({ to }) => !existsSync(to));
  try {
    mkdirSync(folder, { recursive: true });
    if (hasManifest) joinManifest(join(folder, 'package.json'));
    for (const { from, to } of written) {
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(TEMPLATE, from), to);
    }
    if (!hasManifest) nameManifest(folder);
  } catch (error) {
    throw Fault.is(error) ? error : unwritable(folder, error);
  }
  const next = nextSteps(folder, hasManifest);
  const names = written.map(({ to }) => relative(folder, to)).toSorted();
  terminal.show({ folder, written: names, next }, () =>
    [`${terminal.paint('good', '✓')} an agent is in ${folder}`, ...names.map((name) => `  ${name}`)].join('\n'),
  );
  for (const line of next) terminal.note((paint) => `${paint('quiet', 'next:')} ${line}`);
  return exitOf('done');
};

/** Whatever the disk says against it: a file of that name, no permission, no room. */
function unwritable(folder: string, cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault('input_invalid', `${folder} cannot be written to (${why}): take a folder of your own`, { cause });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const nameOf = (from: string): string => join(dirname(from), KEPT_AS[basename(from)] ?? basename(from));

/** Somebody's own manifest keeps what it says; where it says nothing about modules, it says so now. */
function joinManifest(file: string): void {
  const manifest: { readonly type?: unknown } = jsonFile(file, 'the manifest');
  if (manifest.type === 'module') return;
  if (manifest.type !== undefined) {
    throw new Fault(
      'input_invalid',
      `${file} is of "type": "${manifest.type}", and the agent is a module: npm pkg set type=module`,
    );
  }
  writeFileSync(file, `${JSON.stringify({ ...manifest, type: 'module' }, null, 2)}\n`);
}

function nameManifest(folder: string): void {
  const file = join(folder, 'package.json');
  const manifest: { dependencies: Record<string, string> } & Record<string, unknown> = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]/g, '-')
      .replace(/^[._-]+/, '') || 'my-agent';
  const dependencies = { ...manifest.dependencies, ambit: dependencyOnThis() };
  writeFileSync(file, `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`);
}

function nextSteps(folder: string, hasManifest: boolean): readonly string[] {
  const here = relative(process.cwd(), folder);
  return [
    ...(here === '' ? [] : [`cd ${here}`]),
    ...(isBuilt() ? [] : [`npm run --prefix ${PACKAGE} build`]),
    ...(hasManifest ? installLines(join(folder, 'package.json')) : ['npm install']),
    'npx ambit run support --goal "Refund order ord_881" --input order_id=ord_881',
  ];
}

/** A clone has what npx starts once somebody has built it. */
const isBuilt = (): boolean => existsSync(join(PACKAGE, 'dist', 'cli', 'main.js'));

/** What somebody's own manifest does not name yet. */
function installLines(file: string): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>> | undefined>
  >;
  const named = { ...dependencies, ...devDependencies };
  const missing = (names: readonly string[]): readonly string[] => names.filter((name) => !(name in named));
  const itself = dependencyOnThis().replace(/^(?=\d)/, 'ambit@');
  const needed = missing(['ambit', 'zod']).map((name) => (name === 'ambit' ? itself : name));
  const tools = missing(['typescript', '@types/node']);
  return [
    ...(needed.length === 0 ? [] : [`npm install ${needed.join(' ')}`]),
    ...(tools.length === 0 ? [] : [`npm install --save-dev ${tools.join(' ')}`]),
  ];
}
