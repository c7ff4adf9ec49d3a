import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Ambit, Fault } from '../../index.ts';
import { CliFault } from '../cli-fault.ts';
import { type Action, type Call, getExitCode } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { readPackageVersion } from '../own-package.ts';
import { escapeText } from '../terminal/escape.ts';
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

const pass = (about: string, found: string): Finding => ({ about, state: 'ok', found });

const warn = (about: string, found: string, fix: string): Finding => ({ about, state: 'look', found, fix });

async function checkProject(call: Call): Promise<readonly Finding[]> {
  const node = pass('node', process.version);
  try {
    const loaded = await loadConfig(call.configFile);
    return [
      node,
      pass('config', loaded.file),
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
    if (theirs.version === ours) return pass('ambit', ours);
    const found = `this command has version ${ours}, but the config imports version ${theirs.version}`;
    return warn('ambit', found, 'use the installed version: npx ambit');
  } catch {
    return warn('ambit', `${ours}, not installed in this project`, 'npm install ambit');
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
        pass('agents', agents.join(', ')),
        ...checkRoles(runtime),
        describeStore(store),
        pass(
          'sessions',
          `${count('in_progress')} in progress, ${count('awaiting_gate')} at a gate, ${count('paused')} paused`,
        ),
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

/** Warns of tools that no user can start, because no role of the agent may. */
const checkRoles = ({ agents }: Ambit): readonly Finding[] =>
  agents.list().flatMap(({ spec }) =>
    agents
      .explain(spec.name)
      .sections.filter(({ lines }) =>
        lines.some(({ name, value }) => name === 'may be started by' && value === 'no role'),
      )
      .map(({ title }) => {
        const found = `${spec.name}: no role may start the ${title.replace('Tool', 'tool')}`;
        return warn(
          'roles',
          found,
          "name roles in settings of the agent: settings: { roles: { clerk: 'destructive' } }",
        );
      }),
  );

function describeStore(store: string): Finding {
  if (store !== 'memory') return pass('store', store);
  return warn('store', 'memory: runs and gates are lost when the process ends', "store: 'sqlite:ambit.db'");
}

function describeApprovers({ config }: LoadedConfig): Finding {
  const { keys, authenticator } = config.world?.policy?.approvers ?? {};
  if (keys !== undefined) return pass('approvers', 'enrolled keys sign the decisions');
  if (authenticator !== undefined) return pass('approvers', 'the authenticator identifies approvers');
  const fix = 'configure world.policy.approvers if several people use this project';
  return warn('approvers', 'approver names are trusted without proof', fix);
}

async function checkProjectTypes(folder: string): Promise<readonly Finding[]> {
  const base = [folder, dirname(folder)].find((at) => existsSync(join(at, 'tsconfig.json')));
  if (base === undefined) {
    const fix = 'create a tsconfig.json, such as the one that ambit init writes';
    return [warn('types', 'no tsconfig.json, so types are not checked', fix)];
  }
  const checked = await checkTypes(base);
  if (checked === null) return [warn('types', 'TypeScript is not installed', 'npm install --save-dev typescript')];
  if (checked.length === 0) return [pass('types', 'tsc --noEmit found no errors')];
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
