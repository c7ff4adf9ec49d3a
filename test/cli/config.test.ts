/** Checks that a config error names its file, line, field and fix. */
import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;

let project: Project;
let config = '';
let support = '';

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  config = project.read('ambit.config.ts');
  support = project.read('src/support.ts');
}, SLOW);
beforeEach(() => {
  project.write('ambit.config.ts', config);
  project.write('src/support.ts', support);
});
afterAll(() => project.remove());

const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

interface Printed {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly place: { readonly file: string; readonly line: number; readonly column: number } | null;
    readonly fix: string | null;
  };
}

function readFault(): Printed['error'] {
  const { exit, out, err } = project.ambit('tools', '--json');
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  return (JSON.parse(err) as Printed).error;
}

test('an unknown field', { timeout: SLOW }, () => {
  const wrong = config.replace('store:', 'stor:');
  project.write('ambit.config.ts', wrong);
  const { exit, err } = project.ambit('tools');
  const line = lineOf(wrong, 'stor:');
  expect(exit).toBe(2);
  expect(err).toContain(`at ambit.config.ts:${line}:3  (/stor)`);
  expect(err).toContain(`▸ ${line} │   stor: 'sqlite:ambit.db',`);
  expect(err).toContain('unknown field "stor"; the fields are agents, store, world, limits, graph, identity, operator');
  expect(err).toContain('fix: did you mean store?');
});

test('an invalid store, from a subfolder', { timeout: SLOW }, () => {
  const wrong = config.replace("'sqlite:ambit.db'", "'postgres:x' as 'memory'");
  project.write('ambit.config.ts', wrong);
  const { exit, err } = project.ambitWith({ cwd: `${project.folder}/src` }, 'tools');
  expect(exit).toBe(2);
  expect(err).toContain(`ambit.config.ts:${lineOf(wrong, 'store:')}:3  (/store)`);
  expect(err).toContain("fix: store: 'sqlite:ambit.db'");
});

test('an invalid agent option in another file', { timeout: SLOW }, () => {
  const wrong = support.replace('toolCallsMax: 10', 'toolCallsMax: -1');
  project.write('src/support.ts', wrong);
  const { message, place } = readFault();
  expect(place).toMatchObject({ file: `${project.folder}/src/support.ts`, line: lineOf(wrong, 'toolCallsMax') });
  expect(message).toContain('agent/budget/toolCallsMax');
});

test('a plan with an unknown tool', { timeout: SLOW }, () => {
  const wrong = support.replace("tool: 'orders.lookup'", "tool: 'orders.lok_up'");
  project.write('src/support.ts', wrong);
  const { place, message } = readFault();
  expect(message).toContain('orders.lok_up');
  expect(place).toMatchObject({
    file: `${project.folder}/src/support.ts`,
    line: lineOf(wrong, "tool: 'orders.lok_up'"),
  });
});

test('an invalid value in world or limits', { timeout: SLOW }, () => {
  const cases: readonly (readonly [text: string, at: string, path: string])[] = [
    [config.replace('ttlMs: 24 * 3_600_000', '\nttlMs: -1'), 'ttlMs: -1', 'world/policy/gates/GATE_REFUND/ttlMs'],
    [
      config.replace('  world: {', '  limits: { parallelSteps: -1 },\n  world: {'),
      'parallelSteps',
      'limits/parallelSteps',
    ],
    [
      config.replace('    policy: {', '    policy: {\n      quota: { tool_calls_max: -2 },'),
      'quota',
      'world/policy/quota',
    ],
    [config.replace('      gates: {', '      gate: {'), 'gate:', 'there is no option gate; there are gates, '],
    [config.replace('  world: {', '  world: {\n    judges: [\n{},\n],'), '{},', 'world/judges/0'],
  ];
  for (const [text, at, path] of cases) {
    project.write('ambit.config.ts', text);
    const { place, message } = readFault();
    expect(message).toContain(path);
    expect(place).toMatchObject({ file: `${project.folder}/ambit.config.ts`, line: lineOf(text, at) });
  }
});

test('a syntax error, an enum, a missing module, a thrown error, a missing export', { timeout: SLOW }, () => {
  const cases: readonly (readonly [text: string, at: string, message: string, fix: string | null])[] = [
    [`${config}\nconst broken = [;\n`, 'const broken', 'expected', null],
    [
      `${config}\nenum Colour { Red }\n`,
      'enum Colour',
      'enum',
      'Node.js only strips types: do not use enum, namespace or parameter properties',
    ],
    [`import 'left-pad';\n${config}`, 'left-pad', 'cannot find left-pad', 'npm install left-pad'],
    [
      `${config}\nimport { it } from './src/no-such.ts';\n`,
      'no-such',
      `cannot find ${project.folder}/src/no-such.ts`,
      'or correct the import',
    ],
    [
      `${config}\nexport * from './src/no-such.ts';\n`,
      'no-such',
      `cannot find ${project.folder}/src/no-such.ts`,
      'or correct the import',
    ],
    [`${config}\nthrow new Error('no luck');\n`, 'throw', 'no luck', null],
    [
      config.replace('export default', 'export const config ='),
      '',
      'the config has no default export that is an object',
      'export default defineConfig',
    ],
  ];
  for (const [text, at, message, fix] of cases) {
    project.write('ambit.config.ts', text);
    const error = readFault();
    expect(error.message.toLowerCase()).toContain(message.toLowerCase());
    if (at !== '')
      expect(error.place).toMatchObject({ file: `${project.folder}/ambit.config.ts`, line: lineOf(text, at) });
    if (fix !== null) expect(error.fix).toContain(fix);
  }
});

test('doctor runs the compiler of the project and prints its errors', { timeout: SLOW }, () => {
  // A stub of the compiler. It prints only if doctor passes the right options.
  const stubCompiler = (lines: readonly string[]): void => {
    project.write(
      'node_modules/.bin/tsc',
      `#!/bin/sh\n[ "$*" = "--noEmit --pretty false" ] && cat <<'E'\n${lines.join('\n')}\nE\n`,
    );
    chmodSync(`${project.folder}/node_modules/.bin/tsc`, 0o755);
  };
  stubCompiler([]);
  const healthy = project.ambit('doctor');
  expect(healthy).toMatchObject({ exit: 0, out: expect.stringContaining('tsc --noEmit found no errors') });
  expect(healthy.out).toContain('✓ agents     support (2 tools)');
  stubCompiler([
    "ambit.config.ts(7,3): error TS2322: Type 'x' is not assignable to type 'y'.",
    "  Types of property 'store' are incompatible.",
    'src/shop.ts(1,1): error TS1005: no.',
  ]);
  project.write('ambit.config.ts', config.replace('store:', 'stor:'));
  const { exit, out } = project.ambit('doctor');
  expect(exit).toBe(1);
  expect(out).toMatch(/✗ config {5}ambit\.config\.ts:\d+ {2}input_invalid: unknown field "stor"/);
  expect(out).toContain(
    "✗ types      ambit.config.ts:7  error TS2322: Type 'x' is not assignable to type 'y'.\n  Types of",
  );
  expect(out).toContain('✗ types      src/shop.ts:1  error TS1005: no.');
  const json = project.json<{ ok: boolean; findings: { about: string; line?: number }[] }>('doctor');
  expect(json).toMatchObject({ ok: false });
  expect(json.findings.filter(({ about }) => about === 'types').map(({ line }) => line)).toEqual([7, 1]);
});

test('--config selects another config', { timeout: SLOW }, () => {
  project.write('other.config.ts', config.replace("store: 'sqlite:ambit.db'", "store: 'sqlite:other.db'"));
  const findings = project.json<{ findings: { about: string; found: string }[] }>(
    'doctor',
    '--config',
    'other.config.ts',
  ).findings;
  expect(findings.find(({ about }) => about === 'store')?.found).toBe(`sqlite:${project.folder}/other.db`);
});

test('a store with a writer thread has the same file as any other', { timeout: SLOW }, () => {
  const named = (store: string): string => config.replace("store: 'sqlite:ambit.db'", `store: 'sqlite:${store}'`);
  project.write('ambit.config.ts', named('threaded.db?writer=thread'));
  expect(project.ambit('sessions', 'list').exit).toBe(0);
  expect(project.json('store', 'check')).toMatchObject({ file: `${project.folder}/threaded.db`, problems: [] });
  project.write('ambit.config.ts', named('threaded.db?writer=two'));
  expect(readFault()).toMatchObject({
    message: expect.stringContaining('"sqlite:<file>?writer=thread&anchor_key=<key file>"'),
    place: { line: lineOf(config, 'store:') },
  });
});

test('a missing config', () => {
  const { exit, err } = project.ambitWith({ cwd: '/' }, 'tools');
  expect(exit).toBe(2);
  expect(err).toContain('no ambit.config.ts in / or a folder above it');
  expect(err).toContain(
    "fix: write one (export default defineConfig({ agents: [yours], store: 'sqlite:ambit.db' })), or create a project: ambit init",
  );
});
