import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Fault } from '../../index.ts';
import { type Action, getExitCode } from '../command.ts';
import { readJsonFile } from '../files.ts';
import { getDependencySpec, PACKAGE_FOLDER } from '../own-package.ts';
import { noteNextCommands } from '../shared/show-outcome.ts';

const TEMPLATE = join(PACKAGE_FOLDER, 'templates', 'agent');

/** Names of template files that npm would not publish as they are. */
const RENAMED_FILES: Readonly<Record<string, string>> = { _gitignore: '.gitignore', '_package.json': 'package.json' };

/** Existing files that stay as they are. */
const KEPT_FILES: readonly string[] = ['package.json', 'README.md', '.gitignore'];

/** Copies the agent template into a folder. It never overwrites a file. */
export const initProjectAction: Action = async ({ terminal, args }) => {
  const folder = resolve(args['folder'] ?? '.');
  const files = listFiles(TEMPLATE).map((from) => ({ from, to: join(folder, getTargetName(from)) }));
  const existing = files.filter(({ to }) => existsSync(to)).map(({ to }) => relative(folder, to));
  const hasManifest = existing.includes('package.json');
  const conflicts = existing.filter((name) => !KEPT_FILES.includes(name)).toSorted();
  if (conflicts.length > 0) {
    const message = `${folder} already contains ${conflicts.join(', ')}, which init does not overwrite: use an empty folder`;
    throw new Fault('input_invalid', message);
  }
  const written = files.filter(({ to }) => !existsSync(to));
  try {
    mkdirSync(folder, { recursive: true });
    if (hasManifest) setModuleType(join(folder, 'package.json'));
    for (const { from, to } of written) {
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(TEMPLATE, from), to);
    }
    if (!hasManifest) writeManifest(folder);
  } catch (error) {
    throw Fault.is(error) ? error : explainWriteError(folder, error);
  }
  const next = listNextCommands(folder, hasManifest);
  const names = written.map(({ to }) => relative(folder, to)).toSorted();
  terminal.show({ folder, written: names, next }, () =>
    [`${terminal.paint('good', '✓')} created an agent in ${folder}`, ...names.map((name) => `  ${name}`)].join('\n'),
  );
  noteNextCommands(terminal, next);
  return getExitCode('done');
};

function explainWriteError(folder: string, cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault('input_invalid', `cannot write to ${folder} (${why}): use another folder`, { cause });
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const getTargetName = (from: string): string => join(dirname(from), RENAMED_FILES[basename(from)] ?? basename(from));

/** Sets `"type": "module"` in an existing manifest that has no type. */
function setModuleType(file: string): void {
  const manifest: { readonly type?: unknown } = readJsonFile(file, 'manifest');
  if (manifest.type === 'module') return;
  if (manifest.type !== undefined) {
    throw new Fault(
      'input_invalid',
      `${file} has "type": "${manifest.type}", but the agent needs "module": npm pkg set type=module`,
    );
  }
  writeFileSync(file, `${JSON.stringify({ ...manifest, type: 'module' }, null, 2)}\n`);
}

function writeManifest(folder: string): void {
  const file = join(folder, 'package.json');
  const manifest: { dependencies: Record<string, string> } & Record<string, unknown> = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]/g, '-')
      .replace(/^[._-]+/, '') || 'my-agent';
  const dependencies = { ...manifest.dependencies, ambit: getDependencySpec() };
  writeFileSync(file, `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`);
}

function listNextCommands(folder: string, hasManifest: boolean): readonly string[] {
  const here = relative(process.cwd(), folder);
  return [
    ...(here === '' ? [] : [`cd ${here}`]),
    ...(isBuilt() ? [] : [`npm run --prefix ${PACKAGE_FOLDER} build`]),
    ...(hasManifest ? listInstallCommands(join(folder, 'package.json')) : ['npm install']),
    'npx ambit run support --goal "Refund order ord_881" --input order_id=ord_881',
  ];
}

/** A clone has no `dist` until it is built. */
const isBuilt = (): boolean => existsSync(join(PACKAGE_FOLDER, 'dist', 'cli', 'main.js'));

/** Lists the npm commands for dependencies that an existing manifest lacks. */
function listInstallCommands(file: string): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>> | undefined>
  >;
  const declared = { ...dependencies, ...devDependencies };
  const missing = (names: readonly string[]): readonly string[] => names.filter((name) => !(name in declared));
  const ambit = getDependencySpec().replace(/^(?=\d)/, 'ambit@');
  const needed = missing(['ambit', 'zod']).map((name) => (name === 'ambit' ? ambit : name));
  const tools = missing(['typescript', '@types/node']);
  return [
    ...(needed.length === 0 ? [] : [`npm install ${needed.join(' ')}`]),
    ...(tools.length === 0 ? [] : [`npm install --save-dev ${tools.join(' ')}`]),
  ];
}
