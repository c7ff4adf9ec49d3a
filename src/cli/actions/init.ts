import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../../index.ts';
import { type Action, type Call, getExitCode, readTextFlag } from '../command.ts';
import { readJsonFile } from '../files.ts';
import { getDependencySpec, PACKAGE_FOLDER } from '../own-package.ts';
import { noteNextCommands } from '../shared/show-outcome.ts';
import { askChoice } from '../terminal/prompts.ts';

const TEMPLATES = join(PACKAGE_FOLDER, 'templates');

/** The part of every project: the manifest, the compiler options and the choice of the model. */
const SHARED = 'shared';

interface Shape {
  readonly label: string;
  /** The command that shows the agent at work. */
  readonly first: string;
  /** The script `npm start` of a new manifest. */
  readonly start?: string;
}

/** The shapes of a new project. Each is a folder of `templates/`, copied together with the shared files. */
const SHAPES: Readonly<Record<string, Shape>> = {
  chat: {
    label: 'A chat agent: it answers questions with tools that read',
    first: 'npm start',
    start: 'node src/chat.ts',
  },
  approvals: {
    label: 'A plan with approvals: a person approves the dangerous call',
    first: 'npx ambit run support --goal "Refund order ord_881"',
  },
  incident: {
    label: 'An incident with lanes: workers look in parallel, a person approves the rollback',
    first: 'npx ambit run incident_lead --goal "Checkout fails since 14:02"',
  },
};

/** The shape without a terminal and without `--shape`. */
const DEFAULT_SHAPE = 'approvals';

/** Names of template files that npm would not publish as they are. */
const RENAMED_FILES: Readonly<Record<string, string>> = { _gitignore: '.gitignore', '_package.json': 'package.json' };

/** Existing files that stay as they are. */
const KEPT_FILES: readonly string[] = ['package.json', 'README.md', '.gitignore'];

/** Writes a project of a shape into a folder. It never overwrites a file. */
export const initProjectAction: Action = async (call) => {
  const { terminal, args, flags } = call;
  const folder = resolve(args['folder'] ?? '.');
  const shape = readTextFlag(flags, 'shape') ?? (await chooseShape(call));
  const { first, start } = (shape === null ? undefined : SHAPES[shape]) ?? {};
  if (shape === null || first === undefined) return getExitCode('interrupted');
  const files = [SHARED, shape].flatMap((template) => listFiles(template, folder));
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
      cpSync(from, to);
    }
    if (!hasManifest) writeManifest(folder, start);
  } catch (error) {
    throw Fault.is(error) ? error : explainWriteError(folder, error);
  }
  const next = [...listNextCommands(folder, hasManifest), hasManifest ? (start ?? first) : first];
  const names = written.map(({ to }) => relative(folder, to)).toSorted();
  terminal.show({ folder, shape, written: names, next }, () =>
    [
      `${terminal.paint('good', '✓')} created an agent in ${folder}`,
      ...names.map((name) => `  ${name}`),
      'Without ANTHROPIC_API_KEY a script plays the model.',
    ].join('\n'),
  );
  noteNextCommands(terminal, next);
  return getExitCode('done');
};

/** Asks for the shape at a terminal. Returns null if the user cancels. */
async function chooseShape({ terminal }: Call): Promise<string | null> {
  if (terminal.isInteractive) {
    const choices = Object.entries(SHAPES).map(([value, { label }]) => ({ value, label }));
    return await askChoice('Which shape does your agent have?', choices);
  }
  const others = Object.keys(SHAPES).filter((shape) => shape !== DEFAULT_SHAPE);
  terminal.note(
    () => `shape: ${DEFAULT_SHAPE}, the default without a terminal; others: --shape ${others.join(' or ')}`,
  );
  return DEFAULT_SHAPE;
}

function explainWriteError(folder: string, cause: unknown): Fault {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault('input_invalid', `cannot write to ${folder} (${why}): use another folder`, { cause });
}

interface TemplateFile {
  readonly from: string;
  readonly to: string;
}

/** The files of a template, and their places in the new project. */
function listFiles(template: string, folder: string): readonly TemplateFile[] {
  const root = join(TEMPLATES, template);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((from) => ({ from, to: join(folder, getTargetName(relative(root, from))) }));
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

interface Manifest {
  readonly [part: string]: unknown;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function writeManifest(folder: string, start: string | undefined): void {
  const file = join(folder, 'package.json');
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]/g, '-')
      .replace(/^[._-]+/, '') || 'my-agent';
  const scripts = start === undefined ? manifest.scripts : { start, ...manifest.scripts };
  const dependencies = { ...manifest.dependencies, ambit: getDependencySpec() };
  const devDependencies = { ...manifest.devDependencies, ...nodeDependency(process.execPath) };
  const written = { ...manifest, name, scripts, dependencies, devDependencies };
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
}

/**
 * Node.js as a dependency, if this process runs on an installed copy such as that of `npx --package node@24`. The Node.js
 * of the machine is then probably too old for the project, and would find none of its tests.
 */
const nodeDependency = (program: string): Readonly<Record<string, string>> =>
  program.split(sep).includes('node_modules') ? { node: '^24.15.0' } : {};

/** The commands that install and test the project, from the current folder. */
function listNextCommands(folder: string, hasManifest: boolean): readonly string[] {
  const here = relative(process.cwd(), folder);
  const install = hasManifest ? listInstallCommands(join(folder, 'package.json')) : ['npm install'];
  const [firstInstall, ...otherInstalls] = [
    ...(isBuilt() ? [] : [`npm run --prefix ${PACKAGE_FOLDER} build`]),
    ...install,
  ];
  const enter = here === '' ? [] : [`cd ${here}`];
  return [
    [...enter, ...(firstInstall === undefined ? [] : [firstInstall])].join(' && '),
    ...otherInstalls,
    hasManifest ? 'node --test test/*.test.ts' : 'npm test',
  ].filter((command) => command !== '');
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
  const needed = missing(['@ai-sdk/anthropic', 'ambit', 'zod']).map((name) => (name === 'ambit' ? ambit : name));
  const tools = missing(['typescript', '@types/node']);
  return [
    ...(needed.length === 0 ? [] : [`npm install ${needed.join(' ')}`]),
    ...(tools.length === 0 ? [] : [`npm install --save-dev ${tools.join(' ')}`]),
  ];
}
