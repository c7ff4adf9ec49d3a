import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault } from '../../index.ts';
import { CliFault } from '../cli-fault.ts';
import type { Action, Call } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { getExitCode } from '../exit-codes.ts';
import { readPackageVersion } from '../own-package.ts';
import { escapeText } from '../terminal/escape-text.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';

/** The result of one check. `look` is a warning. */
interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'look' | 'wrong';
  readonly found: string;
  readonly file?: string;
  readonly line?: number;
  readonly fix?: string;
}

/** Checks everything that a run needs. Each problem has a location and a fix. */
export const runDoctorAction: Action = async (call) => {
  const { terminal } = call;
  const findings = await checkProject(call);
  const isWell = findings.every(({ state }) => state !== 'wrong');
  terminal.show({ ok: isWell, findings }, () =>
    findings.map((finding) => renderFinding(finding, terminal.paint)).join('\n'),
  );
  return getExitCode(isWell ? 'done' : 'found');
};

async function checkProject(call: Call): Promise<readonly Finding[]> {
  const node: Finding = { about: 'node', state: 'ok', found: process.version };
  try {
    const loaded = await loadConfig(call.configFile);
    const config: Finding = { about: 'config', state: 'ok', found: loaded.file };
    return [
      node,
      config,
      checkVersion(loaded),
      ...(await checkRuntime(loaded)),
      ...(await checkProjectTypes(loaded.folder)),
    ];
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return [node, toFinding('config', error), ...(await checkProjectTypes(process.cwd()))];
  }
}

function toFinding(about: string, fault: Fault): Finding {
  const { place = null, fix = null } = fault instanceof CliFault ? fault : {};
  return {
    about,
    state: 'wrong',
    found: `${fault.code}: ${fault.message}`,
    ...(place === null ? {} : { file: place.file, line: place.line }),
    ...(fix === null ? {} : { fix }),
  };
}

/** Compares the version of this command with the version that the config imports. */
function checkVersion({ file }: LoadedConfig): Finding {
  const ours = readPackageVersion();
  try {
    const theirs = createRequire(file)('ambit/package.json') as { readonly version: string };
    if (theirs.version === ours) return { about: 'ambit', state: 'ok', found: ours };
    const found = `this command has version ${ours}, but the config imports version ${theirs.version}`;
    return { about: 'ambit', state: 'look', found, fix: 'use the installed version: npx ambit' };
  } catch {
    return { about: 'ambit', state: 'look', found: `${ours}, not installed in this project`, fix: 'npm install ambit' };
  }
}

async function checkRuntime(loaded: LoadedConfig): Promise<readonly Finding[]> {
  try {
    const runtime = openRuntime(loaded);
    try {
      const agents = runtime.agents
        .list()
        .map(({ spec, tools }) => `${spec.name} (${formatCount(tools.length, 'tool')})`);
      const sessions = await runtime.sessions.list({ statuses: ['in_progress', 'awaiting_gate', 'paused'] });
      const count = (status: string): number => sessions.filter((run) => run.status === status).length;
      const store = loaded.config.store ?? 'memory';
      return [
        { about: 'agents', state: 'ok', found: agents.join(', ') },
        describeStore(store),
        {
          about: 'sessions',
          state: 'ok',
          found: `${count('in_progress')} in progress, ${count('awaiting_gate')} at a gate, ${count('paused')} paused`,
        },
        describeApprovers(loaded),
      ];
    } finally {
      await runtime.close();
    }
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return [toFinding('agents', error)];
  }
}

function describeStore(store: string): Finding {
  if (store !== 'memory') return { about: 'store', state: 'ok', found: store };
  const fix = "store: 'sqlite:ambit.db'";
  return {
    about: 'store',
    state: 'look',
    found: 'memory: runs and gates are lost when the process ends',
    fix,
  };
}

function describeApprovers({ config }: LoadedConfig): Finding {
  const { keys, authenticator } = config.world?.policy?.approvers ?? {};
  if (keys !== undefined) return { about: 'approvers', state: 'ok', found: 'enrolled keys sign the decisions' };
  if (authenticator !== undefined)
    return { about: 'approvers', state: 'ok', found: 'the authenticator identifies approvers' };
  const found = 'approver names are trusted without proof';
  return {
    about: 'approvers',
    state: 'look',
    found,
    fix: 'configure world.policy.approvers if several people use this project',
  };
}

async function checkProjectTypes(folder: string): Promise<readonly Finding[]> {
  const base = [folder, dirname(folder)].find((at) => existsSync(join(at, 'tsconfig.json')));
  if (base === undefined)
    return [
      {
        about: 'types',
        state: 'look',
        found: 'no tsconfig.json, so types are not checked',
        fix: 'create a tsconfig.json, such as the one that ambit init writes',
      },
    ];
  const checked = await checkTypes(base);
  if (checked === null)
    return [
      { about: 'types', state: 'look', found: 'TypeScript is not installed', fix: 'npm install --save-dev typescript' },
    ];
  if (checked.length === 0) return [{ about: 'types', state: 'ok', found: 'tsc --noEmit found no errors' }];
  return checked.map(({ file, line, message }) => ({ about: 'types', state: 'wrong', found: message, file, line }));
}

const MARKS: Readonly<Record<Finding['state'], readonly [string, Tone]>> = {
  ok: ['✓', 'good'],
  look: ['!', 'warning'],
  wrong: ['✗', 'bad'],
};

function renderFinding({ about, state, found, file, line, fix }: Finding, paint: Paint): string {
  const [mark, tone] = MARKS[state];
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line}  `;
  const hint = fix === undefined ? '' : `\n             ${paint('quiet', 'fix:')} ${fix}`;
  return `${paint(tone, mark)} ${about.padEnd(10)} ${place}${escapeText(found)}${hint}`;
}

interface TypeFinding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Runs the TypeScript compiler of the project. Returns null if none is installed. */
async function checkTypes(folder: string): Promise<readonly TypeFinding[] | null> {
  const compiler = findCompiler(folder);
  if (compiler === null) return null;
  const child = spawn(compiler, ['--noEmit', '--pretty', 'false'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return parseFindings(await text(child.stdout), folder);
}

function findCompiler(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const compiler = join(at, 'node_modules', '.bin', process.platform === 'win32' ? 'tsc.cmd' : 'tsc');
    if (existsSync(compiler)) return compiler;
    if (dirname(at) === at) return null;
  }
}

/** Parses compiler output such as `src/a.ts(3,14): error TS2322: …`. Indented lines continue the previous one. */
function parseFindings(output: string, folder: string): readonly TypeFinding[] {
  return Array.from(
    output.matchAll(/^(?<file>\S.*?)\((?<line>\d+),\d+\): (?<message>error TS.*(?:\n {2,}.*)*)/gm),
    ({ groups }) => ({
      file: resolve(folder, groups?.['file'] ?? ''),
      line: Number(groups?.['line']),
      message: groups?.['message'] ?? '',
    }),
  );
}
