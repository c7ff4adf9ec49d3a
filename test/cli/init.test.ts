/** `ambit init` and the first steps in a new project of each shape. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandResult, openProject, type Project } from './project.ts';
import { runReadme } from './readme-commands.ts';

/** Each test starts several processes, possibly on a busy machine. */
const SLOW = 600_000;

const NOTE = 'scripted model: no API key is set, so rules of this project play the model\n';

let project: Project;

beforeAll(() => {
  project = openProject();
});
afterAll(() => project.remove());

interface Created {
  readonly shape: string;
  readonly written: readonly string[];
  readonly next: readonly string[];
}

/** The script of the manifest behind `npm test` and `npm start`; any other line as it is. */
function scriptOf(folder: string, line: string): string {
  const [, name] = /^npm (?<name>test|start)$/.exec(line) ?? [];
  if (name === undefined) return line;
  return (
    (JSON.parse(project.read(`${folder}/package.json`)) as { scripts: Record<string, string> }).scripts[name] ?? ''
  );
}

/** Runs a command of a README with the linked package: nothing is installed. */
function execute(folder: string, line: string): CommandResult {
  const cwd = join(project.folder, folder);
  if (line === 'npm install') return { exit: 0, out: '', err: '' };
  const [program = '', ...args] = [...scriptOf(folder, line).matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  const { ANTHROPIC_API_KEY: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  if (program === 'npx') return project.ambitWith({ cwd, env: { ANTHROPIC_API_KEY: undefined } }, ...args.slice(1));
  const input = 'Where is order ord_881?\nAnd ord_882?\n';
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', input, env });
  return { exit: status, out: stdout, err: stderr };
}

test('rejects an unusable folder and an invalid manifest', { timeout: SLOW }, () => {
  project.write('a-file', '');
  project.write('broken/package.json', '{');
  for (const [folder, message] of [
    ['a-file', `cannot write to ${project.folder}/a-file (EEXIST`],
    ['a-file/below', `cannot write to ${project.folder}/a-file/below (ENOTDIR`],
    ['broken', `manifest ${project.folder}/broken/package.json: `],
  ] as const) {
    const refused = project.ambit('init', folder);
    expect(refused, folder).toMatchObject({ exit: 2, out: '', err: expect.stringContaining(message) });
    expect(refused.err).not.toContain('    at ');
  }
  expect(readdirSync(join(project.folder, 'broken'))).toEqual(['package.json']);
});

test('overwrites nothing, and joins a project that has a manifest', { timeout: SLOW }, () => {
  expect(project.ambit('init', 'twice')).toMatchObject({ exit: 0 });
  const again = project.ambit('init', 'twice');
  expect(again).toMatchObject({ exit: 2, out: '' });
  expect(again.err).toContain(
    'already contains ambit.config.ts, src/agent.ts, src/model.ts, src/script.ts, src/shop.ts, test/agent.test.ts, tsconfig.json, which init does not overwrite',
  );
  expect(JSON.parse(project.read('twice/package.json'))).toMatchObject({
    name: 'twice',
    type: 'module',
    scripts: { test: 'node --test test/*.test.ts' },
    dependencies: { zod: '^4.6.0' },
  });
  project.write('own/package.json', '{ "name": "mine", "dependencies": { "ambit": "1.0.0" } }');
  const joined = project.json<Created>('init', 'own');
  expect(joined.written).not.toContain('package.json');
  // The manifest already declares ambit, and may have a test script of its own.
  expect(joined.next.join('\n')).toContain('npm install @ai-sdk/anthropic zod\n');
  expect(joined.next).toContain('node --test test/*.test.ts');
  expect(JSON.parse(project.read('own/package.json'))).toEqual({
    name: 'mine',
    dependencies: { ambit: '1.0.0' },
    type: 'module',
  });
  project.write('old/package.json', '{ "type": "commonjs" }');
  expect(project.ambit('init', 'old')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('npm pkg set type=module'),
  });
});

test('installs Node.js in a project if this Node.js is itself an installed copy', { timeout: SLOW }, () => {
  const dependenciesBy = (program: string, name: string): unknown => {
    const at = join(project.folder, program);
    mkdirSync(dirname(at), { recursive: true });
    copyFileSync(process.execPath, at);
    const [, main = ''] = project.command;
    const { status } = spawnSync(at, [main, 'init', name], { cwd: project.folder });
    expect(status).toBe(0);
    return JSON.parse(project.read(`${name}/package.json`)).devDependencies.node;
  };
  // `npx --package node@24` runs such a copy, because the Node.js of the machine is too old.
  expect(dependenciesBy('cache/node_modules/node/bin/node', 'by-copy')).toBe('^24.15.0');
  expect(dependenciesBy('machine/bin/node', 'by-machine')).toBeUndefined();
});

test('names the shape that it takes without a terminal, and refuses an unknown one', { timeout: SLOW }, () => {
  const { exit, err } = project.ambit('init', 'silent');
  expect(exit).toBe(0);
  expect(err).toContain('shape: approvals, the default without a terminal; others: --shape chat or incident\n');
  const refused = project.ambit('init', 'strange', '--shape', 'swarm');
  expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining('chat, approvals, incident') });
});

describe.each([
  { shape: 'chat', first: 'npm start', exit: 0, answer: 'The status of order ord_882 is packed.' },
  {
    shape: 'approvals',
    first: 'npx ambit run support --goal "Refund order ord_881"',
    exit: 8,
    answer: 'Order ord_881 is refunded.',
  },
  {
    shape: 'incident',
    first: 'npx ambit run incident_lead --goal "Checkout fails since 14:02"',
    exit: 8,
    answer: 'The release of checkout is rel_481.',
  },
])('the shape $shape', ({ shape, first, exit, answer }) => {
  test('ends with the next commands, works by those of its README, and says that its model is scripted', {
    timeout: SLOW,
  }, () => {
    const { err } = project.ambit('init', shape, '--shape', shape);
    const next = [...err.matchAll(/^next: (?<line>.*)$/gm)].map(({ groups }) => groups?.['line'] ?? '');
    expect(next[0]).toMatch(/^cd \S+ && npm (install|run )/);
    expect(next.slice(-2)).toEqual(['npm test', first]);
    const ran = runReadme(join(project.folder, shape), (line) => execute(shape, line));
    for (const { line, ...result } of ran) {
      const isFirst = /^(npx ambit run|npm start)/.test(line);
      expect({ line, ...result }).toMatchObject({
        line,
        exit: isFirst && line.includes(' run ') && exit === 8 ? exit : 0,
      });
      if (isFirst) expect(result.err).toContain(NOTE);
    }
    const tests = ran.find(({ line }) => line === 'npm test')?.out ?? '';
    expect(tests).toMatch(/fail 0/);
    expect(tests).not.toMatch(/pass 0/);
    expect(ran.map(({ out }) => out).join('\n')).toContain(answer);
    expect(ran.find(({ line }) => line.includes('replay'))?.out).toContain('same bytes');
    expect(ran.find(({ line }) => line.includes('explain'))?.out).toContain('* planner: scripted/rules (default:');
  });
});

test('doctor warns of a tool that no role may start', { timeout: SLOW }, () => {
  expect(project.ambit('init', 'roles', '--shape', 'approvals').exit).toBe(0);
  const agent = project.read('roles/src/agent.ts');
  project.write('roles/src/agent.ts', agent.replace("settings: { roles: { support: 'destructive' } },", ''));
  const { exit, out } = project.ambitWith({ cwd: join(project.folder, 'roles') }, 'doctor');
  expect(exit).toBe(0);
  expect(out).toContain('support: no role may start the tool payments.refund');
  expect(out).toContain("fix: name roles in settings of the agent: settings: { roles: { clerk: 'destructive' } }");
});

test('the chat keeps both messages in one thread', { timeout: SLOW }, () => {
  const sessions = project.ambitWith({ cwd: join(project.folder, 'chat') }, 'sessions', 'list', '--json');
  const ids = (JSON.parse(sessions.out) as readonly { readonly runId: string }[]).map(({ runId }) => runId);
  const threads = ids.map((id) => {
    const events = project.ambitWith({ cwd: join(project.folder, 'chat') }, 'sessions', 'events', id, '--json').out;
    return /"thread":"(?<thread>[^"]+)"/.exec(events)?.groups?.['thread'];
  });
  const counts = Map.groupBy(
    threads.filter((thread) => thread !== undefined),
    (thread) => thread,
  );
  expect([...counts.values()].map(({ length }) => length)).toEqual([2]);
});
