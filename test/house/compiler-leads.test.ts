/**
 * Proves that adding one thing is a compile error in every file that must change. Each case adds only the member of a union, in a copy of `src`;
 * the compiler has to report every file that must change, and no other. One run of the compiler serves all cases: a
 * diagnostic names the member that it is about.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Case {
  readonly adds: string;
  /** The new member. No other identifier of `src` contains its name. */
  readonly member: string;
  /** The file that declares the union, the text there that the member follows, and the member as it is written. */
  readonly declared: { readonly in: string; readonly after: string; readonly as: string };
  /** Every file that must change, and the reason. */
  readonly files: Readonly<Record<string, string>>;
}

const EFFECT = 'src/model/events/effect.ts';
const EFFECT_TABLE = { 'src/model/events/effect-kinds.ts': 'the table that says who answers each effect' };
const effect = (kind: string, files: Case['files']): Case => {
  const member = `weigh_${kind.toLowerCase()}`;
  const as = `\n  ${member}: { readonly weight: number };`;
  const declared = { in: EFFECT, after: `export interface ${kind}Bodies {`, as };
  return { adds: `an effect of ${kind}Bodies`, member, declared, files: { ...EFFECT_TABLE, ...files } };
};

const CASES: readonly Case[] = [
  effect('Derived', { 'src/kernel/machine/derive.ts': 'derives the answer' }),
  effect('Local', {
    'src/session/perform/effects.ts': 'performs the effect at once',
    'src/replay/replay.ts': 'finds the recorded answer',
  }),
  effect('Frame', { 'src/kernel/machine/turn.ts': 'writes the effect into the frame' }),
  effect('Outside', {
    'src/session/perform/effects.ts': 'performs the effect after the frame is durable',
    'src/session/projections.ts': 'lists the tools that a kill switch can stop',
    'src/replay/what-if.ts': 'describes the effect of a run that took another course',
    'src/testing/simulator/outbox.ts': 'answers the effect in a simulated world',
    'src/testing/simulator/laws/budget-never-overdrawn.ts': 'knows whether the effect may follow an overrun',
  }),
  {
    adds: 'a terminal code',
    member: 'POSTPONED',
    declared: { in: 'src/model/fault/terminal-code.ts', after: "  'USER_CANCEL',", as: "\n  'POSTPONED'," },
    files: { 'src/model/fault/terminal-code.ts': 'precedence, status, rules and texts of each code' },
  },
  {
    adds: 'a budget dimension',
    member: 'postcards',
    declared: { in: 'src/model/budget/dimensions.ts', after: "  'lanes',", as: "\n  'postcards'," },
    files: {
      'src/model/budget/dimensions.ts': 'the table of dimensions',
      'src/model/budget/budget.ts': 'the schemas of caps',
      'src/model/budget/budget-profile.ts': 'the published caps of each profile',
      'src/kernel/budget/account.ts': 'the arithmetic of an account, field by field',
      'src/kernel/budget/view.ts': 'the remainder and the snapshot in a checkpoint, field by field',
      'src/kernel/budget/estimate.ts': 'the arithmetic of an estimate, field by field',
      'src/kernel/query/lane/lane-context.ts': 'the caps of a call that runs as a lane',
      'src/testing/simulator/scenario.ts': 'the caps of a simulated run',
      'src/testing/simulator/random-agent.ts': 'the caps of a simulated lane',
      'src/testing/simulator/laws/budget-never-overdrawn.ts': "the law's own list of counters",
    },
  },
  {
    adds: 'a gate decision',
    member: 'postpone_gate',
    declared: {
      in: 'src/model/gate/gate.ts',
      after: "export const GATE_DECISIONS = ['approve', 'reject', 'edit', 'request_info'",
      as: ", 'postpone_gate'",
    },
    files: {
      'src/model/gate/gate.ts': 'the rules of each decision',
      'src/kernel/handlers/gate.ts': 'decides gates before a call or a plan, and gates about scopes or memory',
      'src/record/trace/escalations.ts': 'settles the request in the trace',
      'src/runtime/gates/closed-gate.ts': 'says how a gate was closed',
      'src/runtime/tenants/tenant-runtime.ts': "names the runtime's method for the decision",
      'src/cli/shared/decide-gate.ts': 'takes the decision at a prompt and hands it in',
      'src/cli/shared/find-gate.ts': 'shows how a gate was closed',
      'src/testing/simulator/world/people-world.ts': 'makes the decision in a simulated run',
      'src/adapters/ai-sdk/ui/gate-parts.ts': 'shows the decision in a chat',
    },
  },
];

const root = new URL('../..', import.meta.url).pathname;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const overlay = mkdtempSync(join(tmpdir(), 'ambit-leads-'));

interface Diagnostic {
  readonly file: string;
  readonly text: string;
}
let diagnostics: readonly Diagnostic[] = [];

beforeAll(() => {
  const isProduct = (path: string): boolean => !path.endsWith('.test.ts');
  cpSync(join(root, 'src'), join(overlay, 'src'), { recursive: true, filter: isProduct });
  symlinkSync(join(root, 'node_modules'), join(overlay, 'node_modules'));
  writeFileSync(join(overlay, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { types: ['node'], rootDir: '.', noEmit: true };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['src'] };
  writeFileSync(join(overlay, 'tsconfig.json'), JSON.stringify(config));
  for (const { declared } of CASES) add(declared);
  const run = spawnSync(process.execPath, [tsc, '-p', overlay, '--pretty', 'false'], {
    cwd: overlay,
    encoding: 'utf8',
  });
  diagnostics = diagnosticsIn(run.stdout);
}, 300_000);

afterAll(() => rmSync(overlay, { recursive: true }));

function add({ in: path, after, as }: Case['declared']): void {
  const file = join(overlay, path);
  const parts = readFileSync(file, 'utf8').split(after);
  if (parts.length !== 2) throw new Error(`${path} holds ${JSON.stringify(after)} ${parts.length - 1} times`);
  writeFileSync(file, parts.join(`${after}${as}`));
}

/** Each diagnostic with the indented lines that explain it. */
function diagnosticsIn(output: string): readonly Diagnostic[] {
  const found = output.split(/\n(?=\S)/).map((text) => ({ text, file: /^(src\/[^(]+)\(/.exec(text)?.[1] ?? '' }));
  return found.filter(({ text }) => text.trim() !== '');
}

describe.each(CASES)('adding $adds', ({ member, files }) => {
  test('is a compile error in every file that must change, and in no other', () => {
    const reported = new Set(diagnostics.filter(({ text }) => text.includes(member)).map(({ file }) => file));
    expect([...reported].sort()).toEqual(Object.keys(files).sort());
  });
});

test('every diagnostic names the member that it is about', () => {
  const unnamed = diagnostics.filter(({ text }) => !CASES.some(({ member }) => text.includes(member)));
  expect(unnamed).toEqual([]);
});
