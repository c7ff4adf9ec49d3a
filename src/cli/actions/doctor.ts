import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Fault } from '../../index.ts';
import type { Action, Call } from '../command.ts';
import { ConfigFault } from '../config/config-fault.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { exitOf } from '../exit-codes.ts';
import { printed } from '../terminal/printed.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { packageVersion } from '../version.ts';
import { counted } from '../views/counted.ts';
import { typeCheck } from './type-check.ts';

/** One thing that was looked at. */
export interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'look' | 'wrong';
  readonly found: string;
  readonly file?: string;
  readonly line?: number;
  readonly fix?: string;
}

/** Looks at everything that a run of this folder needs, and names what is wrong with the place and the fix. */
export const doctor: Action = async (call) => {
  const { terminal } = call;
  const findings = await examine(call);
  const isWell = findings.every(({ state }) => state !== 'wrong');
  terminal.show({ ok: isWell, findings }, () =>
    findings.map((finding) => findingLine(finding, terminal.paint)).join('\n'),
  );
  return exitOf(isWell ? 'done' : 'found');
};

async function examine(call: Call): Promise<readonly Finding[]> {
  const node: Finding = { about: 'node', state: 'ok', found: process.version };
  try {
    const loaded = await loadConfig(call.configFile);
    const config: Finding = { about: 'config', state: 'ok', found: loaded.file };
    return [
      node,
      config,
      versionFinding(loaded),
      ...(await runtimeFindings(loaded)),
      ...(await typeFindings(loaded.folder)),
    ];
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return [node, wrong('config', error), ...(await typeFindings(process.cwd()))];
  }
}

function wrong(about: string, fault: Fault): Finding {
  const { place = null, fix = null } = fault instanceof ConfigFault ? fault : {};
  return {
    about,
    state: 'wrong',
    found: `${fault.code}: ${fault.message}`,
    ...(place === null ? {} : { file: place.file, line: place.line }),
    ...(fix === null ? {} : { fix }),
  };
}

/** Two copies of the package understand each other, but a config is checked by the one and run by the other. */
function versionFinding({ file }: LoadedConfig): Finding {
  const ours = packageVersion();
  try {
    const theirs = createRequire(file)('ambit/package.json') as { readonly version: string };
    if (theirs.version === ours) return { about: 'ambit', state: 'ok', found: ours };
    const found = `this command is ${ours}, the config imports ${theirs.version}`;
    return { about: 'ambit', state: 'look', found, fix: 'run the one of the folder: npx ambit' };
  } catch {
    return { about: 'ambit', state: 'look', found: `${ours}, not installed in the folder`, fix: 'npm install ambit' };
  }
}

async function runtimeFindings(loaded: LoadedConfig): Promise<readonly Finding[]> {
  try {
    const runtime = openRuntime(loaded);
    try {
      const agents = runtime.agents().map(({ spec, tools }) => `${spec.name} (${counted(tools.length, 'tool')})`);
      const sessions = await runtime.sessions({ statuses: ['in_progress', 'awaiting_gate', 'paused'] });
      const count = (status: string): number => sessions.filter((run) => run.status === status).length;
      const store = loaded.config.store ?? 'memory';
      return [
        { about: 'agents', state: 'ok', found: agents.join(', ') },
        storeFinding(store),
        {
          about: 'sessions',
          state: 'ok',
          found: `${count('in_progress')} in progress, ${count('awaiting_gate')} at a gate, ${count('paused')} paused`,
        },
        approversFinding(loaded),
      ];
    } finally {
      await runtime.close();
    }
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return [wrong('agents', error)];
  }
}

function storeFinding(store: string): Finding {
  if (store !== 'memory') return { about: 'store', state: 'ok', found: store };
  const fix = "store: 'sqlite:ambit.db'";
  return {
    about: 'store',
    state: 'look',
    found: 'memory: every run is gone when the process ends, gates included',
    fix,
  };
}

function approversFinding({ config }: LoadedConfig): Finding {
  const { keys, authenticator } = config.world?.policy?.approvers ?? {};
  if (keys !== undefined) return { about: 'approvers', state: 'ok', found: 'decisions are signed with enrolled keys' };
  if (authenticator !== undefined)
    return { about: 'approvers', state: 'ok', found: 'decided by who the authenticator knows' };
  const found = 'whoever runs the process says who decides';
  return { about: 'approvers', state: 'look', found, fix: 'for more than one person: world.policy.approvers' };
}

async function typeFindings(folder: string): Promise<readonly Finding[]> {
  const base = [folder, dirname(folder)].find((at) => existsSync(join(at, 'tsconfig.json')));
  if (base === undefined)
    return [
      {
        about: 'types',
        state: 'look',
        found: 'no tsconfig.json: nobody checks the types',
        fix: 'ambit init writes one',
      },
    ];
  const checked = await typeCheck(base);
  if (checked === null)
    return [
      { about: 'types', state: 'look', found: 'TypeScript is not installed', fix: 'npm install --save-dev typescript' },
    ];
  if (checked.length === 0) return [{ about: 'types', state: 'ok', found: 'tsc --noEmit finds nothing' }];
  return checked.map(({ file, line, message }) => ({ about: 'types', state: 'wrong', found: message, file, line }));
}

const MARKS: Readonly<Record<Finding['state'], readonly [string, Tone]>> = {
  ok: ['✓', 'good'],
  look: ['!', 'waits'],
  wrong: ['✗', 'bad'],
};

function findingLine({ about, state, found, file, line, fix }: Finding, paint: Paint): string {
  const [mark, tone] = MARKS[state];
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line}  `;
  const mend = fix === undefined ? '' : `\n             ${paint('quiet', 'fix:')} ${fix}`;
  return `${paint(tone, mark)} ${about.padEnd(10)} ${place}${printed(found)}${mend}`;
}
