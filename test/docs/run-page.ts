import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openProject, type Project } from '../cli/project.ts';
import { blocksIn, fences, nameOf, programs, ROOT } from './markdown.ts';
import type { PageOrder } from './page.ts';

/** Writes the agent of `ambit init --shape approvals`, which a page may import. */
export function writeTemplate(folder: string): void {
  for (const part of ['shared', 'approvals']) cpSync(join(ROOT, 'templates', part, 'src'), folder, { recursive: true });
}

/** The folder of the fixtures. */
export const FIXTURES: string = join(ROOT, 'test/docs/pages');

const PROCESS = join(ROOT, 'test/docs/page-process.ts');

/** Languages of blocks that a part of the product reads. */
export const DATA: readonly string[] = ['json', 'yaml', 'cedar'];

/** The output of the blocks of a page. `stderr` names the blocks and functions that were not executed. */
export interface PageOutput {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The fixture of a page: real parts that its blocks need, such as a runtime or a server. Null if it needs none. */
export function fixtureOf(path: string): string | null {
  const file = join(
    FIXTURES,
    path
      .toLowerCase()
      .replace(/^docs\//, '')
      .replace(/\.md$/, '.ts'),
  );
  return existsSync(file) ? file : null;
}

/** Executes every TypeScript block of a page in order, in a new project. */
export async function runPage(
  path: string,
  text: string,
  fixture: string | null = fixtureOf(path),
): Promise<PageOutput> {
  const project = openProject();
  try {
    linkPackages(project);
    const files = programs(text);
    const data = fences(text).filter(({ language }) => DATA.includes(language));
    writeTemplate(join(project.folder, 'src'));
    for (const { name, text: code } of files) project.write(name, code);
    for (const { text: content } of data) {
      const name = nameOf(content);
      if (name !== undefined) project.write(name, content);
    }
    const order: PageOrder = { fixture, files: files.map(({ name }) => join(project.folder, name)), data };
    return await execute(project.folder, order);
  } finally {
    project.remove();
  }
}

function execute(cwd: string, order: PageOrder): Promise<PageOutput> {
  const { NODE_OPTIONS, FORCE_COLOR, ...rest } = process.env;
  const path = `${join(cwd, 'node_modules/.bin')}:${rest['PATH']}`;
  const env = { ...rest, PATH: path, NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROCESS, JSON.stringify(order)], { cwd, env }, (_, stdout, stderr) =>
      resolve({ exit: child.exitCode, stdout, stderr }),
    );
  });
}

/** Installs the packages of the repository in a project, and the command `ambit`. */
export function linkPackages({ folder, command, write }: Project): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const installed = join(folder, 'node_modules');
  const names = Object.keys({ ...dependencies, ...devDependencies });
  for (const name of [...names, ...globSync('.bin/*', { cwd: join(ROOT, 'node_modules') })]) {
    if (existsSync(join(installed, name))) continue;
    mkdirSync(dirname(join(installed, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name));
  }
  symlinkSync(join(ROOT, 'test/docs/ai-sdk-react'), join(installed, '@ai-sdk/react'));
  write('package.json', '{ "type": "module" }');
  write('node_modules/.bin/ambit', `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`);
  chmodSync(join(installed, '.bin/ambit'), 0o755);
}

type Manifest = Readonly<Record<'dependencies' | 'devDependencies', object>>;

/** The output that a page shows: its `text` blocks. `…` stands for a part that differs from run to run. */
export const shownBy = (text: string): string => blocksIn(text, 'text').join('');
