/** The tools of the recorded tasks keep the promises of their kind. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSuites, type Suite } from '../../scripts/tau/suite.ts';
import { FIND, KINDS, type Kind, kindsOf, stepOf, suiteTools } from '../../scripts/tau/tools.ts';
import { openWorld, type World } from '../../scripts/tau/world.ts';
import type { Json } from '../../src/model/json/json.ts';
import type { BoundTool, ToolContext } from '../../src/ports/bound-tool.ts';
import { FIXTURE } from './check-tau.ts';

const REALM = 'one';

function suite(folder: string = FIXTURE): Suite {
  const suites = readSuites(folder);
  const [first] = typeof suites === 'string' ? [] : suites;
  if (first === undefined) throw new Error(String(suites));
  return first;
}

/** The first recorded write of a task, by a tool of this kind. */
function bench(kind: Kind): { readonly world: World; call(key: string): Promise<Json | undefined>; find: BoundTool } {
  const found = suite();
  const task = found.tasks.find(({ actions }) => (actions[0]?.state_patch.length ?? 0) > 0);
  const action = task?.actions[0];
  if (task === undefined || action === undefined) throw new Error('the fixture has no task that begins with a change');
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-world-'));
  const world = openWorld(join(folder, 'world.db'), found.world);
  onTestFinished(() => {
    world.close();
    rmSync(folder, { recursive: true });
  });
  const rotation = KINDS.findIndex((_, at) => kindsOf(found, at).get(action.name) === kind);
  const options = { suite: found, world, rotation, taskOf: () => task, reached: () => undefined, plant: null };
  const named = (name: string): BoundTool => {
    const tool = suiteTools(options).find(({ spec }) => spec.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return tool;
  };
  const context = (idempotencyKey: string): ToolContext =>
    ({ idempotencyKey, tenantId: REALM, stepId: stepOf(0) }) as ToolContext;
  return {
    world,
    call: async (key) => await named(action.name).execute(action.kwargs, context(key)),
    find: named(FIND),
  };
}

const times = async (kind: Kind, ...keys: readonly string[]): Promise<number> => {
  const { world, call } = bench(kind);
  for (const key of keys) await call(key);
  return world.deeds(REALM).length;
};

test('a keyed tool absorbs a second call under the same key only', async () => {
  expect(await times('key', 'k1', 'k1')).toBe(1);
  expect(await times('key', 'k1', 'k2')).toBe(2);
});

test('a naturally idempotent tool writes once under any key', async () => {
  expect(await times('natural', 'k1', 'k2')).toBe(1);
});

test('the other kinds write on every call', async () => {
  expect(await times('reconcilable', 'k1', 'k1')).toBe(2);
  expect(await times('neither', 'k1', 'k1')).toBe(2);
});

test('a probe finds the answer under its key, and nothing under another', async () => {
  const { call, find } = bench('reconcilable');
  const answer = await call('k1');
  expect(await find.execute({ key: 'k1' }, {} as ToolContext)).toEqual(answer);
  expect(await find.execute({ key: 'k2' }, {} as ToolContext)).toBeUndefined();
});

test('in four rounds every writing tool has every kind', () => {
  const found = suite();
  const writing = found.tools.filter(({ writes }) => writes).map(({ name }) => name);
  expect(writing.length).toBeGreaterThan(4);
  for (const name of writing) {
    expect(new Set([0, 1, 2, 3].map((rotation) => kindsOf(found, rotation).get(name)))).toEqual(new Set(KINDS));
  }
});

test('a tool counts as writing because of its recorded changes, regardless of its label', () => {
  const mode = (found: Suite, name: string): string | undefined => found.tools.find((tool) => tool.name === name)?.mode;
  const found = suite();
  expect(mode(found, 'get_order_details')).toBe('read_only');
  expect(mode(found, 'cancel_pending_order')).toBe('destructive');
  expect(mode(found, 'modify_user_address')).toBe('local_write');
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-label-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(FIXTURE, folder, { recursive: true });
  const tools = JSON.parse(readFileSync(join(folder, 'retail_tools.json'), 'utf8'));
  for (const tool of tools.tools) Object.assign(tool, { approval_mode: 'read_only', read_write: 'read' });
  writeFileSync(join(folder, 'retail_tools.json'), JSON.stringify(tools));
  const mislabelled = suite(folder);
  expect(mode(mislabelled, 'get_order_details')).toBe('read_only');
  expect(mode(mislabelled, 'cancel_pending_order')).toBe('local_write');
});
