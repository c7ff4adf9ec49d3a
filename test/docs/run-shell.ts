import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openProject, type Project } from '../cli/project.ts';
import { blocksIn, programs } from './markdown.ts';
import { linkPackages } from './run-page.ts';

/** A command line of a page that was executed. */
export interface ShellLine {
  /** As the page shows it. */
  readonly line: string;
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lines that need the network or a clone. The project of a test has these packages already. */
const INSTALLS = /^(git clone |\(cd .*npm pack\)|npm (ci|install )|cd \w+ && npm install$)/;

/** npx finds the installed command, as the path of the shell does here. */
const NPX = /\bnpx (--yes --package \.\/ambit\/ambit-0\.1\.0\.tgz )?(?=ambit )/g;

/** The parts that a page abbreviates, and where earlier output shows them. */
const ABBREVIATED: readonly (readonly [shown: RegExp, printed: RegExp])[] = [
  [/gate_run_…_1/g, /gate_run_[\w-]+_1/g],
  [/\brun_…/g, /\brun_[0-9a-f]{8}-[\w-]{27}/g],
  [/sha256:…/g, /(?<=--packet )sha256:[0-9a-f]{64}/g],
];

/** A shell in a new project, with the packages of the repository and the command `ambit`. */
export interface Shell {
  readonly project: Project;
  /** Types the `sh` blocks of a page from `first` to `last`, counted from 1, and returns every line. */
  type(text: string, first?: number, last?: number): Promise<readonly ShellLine[]>;
}

export function openShell(env: NodeJS.ProcessEnv = {}): Shell {
  const project = openProject();
  linkPackages(project);
  project.write('.shell', `PATH=${project.folder}/node_modules/.bin:$PATH\ncd ${project.folder}\n`);
  let printed = '';
  const typeLine = async (line: string): Promise<ShellLine> => {
    const result = await execute(project, complete(line, printed), env);
    printed += result.stdout + result.stderr;
    return { line, ...result };
  };
  return {
    project,
    type: async (text, first = 1, last = Number.POSITIVE_INFINITY) => {
      const typed: ShellLine[] = [];
      for (const block of blocksIn(text, 'sh').slice(first - 1, last)) {
        for (const line of linesOf(block)) {
          if (!INSTALLS.test(line)) typed.push(await typeLine(line));
          else if (line.startsWith('cd ')) typed.push(await typeLine(line.replace(/ && .*/, '')));
        }
      }
      return typed;
    },
  };
}

/** The lines of a block without comments. A `case` is one line. */
const linesOf = (block: string): readonly string[] =>
  (block.match(/^case .*?^esac$|^[^\n]+$/gms) ?? []).map((line) => line.replace(/ {2,}#.*$/gm, ''));

function complete(line: string, printed: string): string {
  const typed = line.replaceAll(NPX, '');
  return ABBREVIATED.reduce((text, [shown, pattern]) => {
    const last = printed.match(pattern)?.at(-1);
    return last === undefined ? text : text.replaceAll(shown, last);
  }, typed);
}

/** Runs one line in bash. The folder and the variables that it sets stay for the next line. */
function execute({ folder }: Project, line: string, added: NodeJS.ProcessEnv): Promise<Omit<ShellLine, 'line'>> {
  const state = join(folder, '.shell');
  const script = `. ${state}\n${line}\nexit=$?; { export -p; echo "cd $PWD"; echo "(exit $exit)"; } > ${state}; exit $exit`;
  const { NODE_OPTIONS, FORCE_COLOR, ...rest } = process.env;
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', script], { cwd: folder, env: { ...rest, ...added } }, (_, stdout, stderr) =>
      resolve({ exit: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** Writes the programs of a page into the folder of the shell, as its reader would. */
export function writePrograms({ project }: Shell, text: string, folder = '.'): void {
  for (const { name, text: code } of programs(text)) project.write(join(folder, name), code);
}

export const readPage = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
