/** A recorded tool registry is parsed and compiled once per version, however many runs share it. */
import { expect, test } from 'vitest';
import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import type { CompileSchema, ToolTable } from '../../src/kernel/index.ts';
import { recordedEnv } from '../../src/session/recorded-env.ts';
import { planOf, type Rig, rig } from '../runs/rig.ts';

/** A compiler that counts the schemas that it compiles. */
function counting(): { readonly compile: CompileSchema; readonly count: () => number } {
  const inner = ajvSchemaCheck().compile;
  let compiled = 0;
  const compile: CompileSchema = (schema) => {
    compiled += 1;
    return inner(schema);
  };
  return { compile, count: () => compiled };
}

const FINISH = planOf([{ id: 's1', tool: 'finish' }]);
const bench = (names: readonly string[]): Rig =>
  rig({
    tools: Object.fromEntries(names.map((name) => [name, name === 'finish' ? { produces: ['done'] } : {}])),
    plans: [FINISH, FINISH],
  });

test('two runs with the same tools share one table, and runs with other tools have their own', async () => {
  const { compile, count } = counting();
  const same = bench(['finish']);
  const other = bench(['finish', 'read']);
  const tablesOf = async (of: Rig, runId: string): Promise<ToolTable> =>
    (await recordedEnv(of.journal, {} as never, compile, await of.events(runId))).tools;
  const [first, second] = [await same.invoke(), await same.invoke()];
  const table = await tablesOf(same, first.runId);
  const compiled = count();
  expect(compiled).toBeGreaterThan(0);
  expect(await tablesOf(same, second.runId)).toBe(table);
  expect(await tablesOf(same, first.runId)).toBe(table);
  expect(count()).toBe(compiled);
  const wider = await tablesOf(other, (await other.invoke()).runId);
  expect(wider).not.toBe(table);
  expect(wider.specs.map(({ name }) => name)).toEqual(['finish', 'read']);
});

test('an altered registry is not answered from memory', async () => {
  const { compile } = counting();
  const same = bench(['finish']);
  const { runId } = await same.invoke();
  const events = await same.events(runId);
  await recordedEnv(same.journal, {} as never, compile, events);
  const altered = {
    blob: async (at: `sha256:${string}`) => (await same.journal.blob(at)).replaceAll('"finish"', '"finisH"'),
  };
  const env = await recordedEnv(altered, {} as never, compile, events).catch((error: unknown) => error);
  expect(env).not.toHaveProperty('tools.specs.0.name', 'finish');
});
