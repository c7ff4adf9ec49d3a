/** Inputs from earlier results are resolved by type: the latest of each. */
import { describe, expect, test } from 'vitest';
import { type FilledKey, resolveInputs } from '../../../src/kernel/query/plan/reactive-route.ts';
import { verifies } from '../../requirements/verifies.ts';
import { of, verifiedPlans } from '../planning/bench.ts';
import type { RigTool } from '../rig.ts';
import { decide, reactiveBench } from './bench.ts';

const FILLED: readonly FilledKey[] = [
  { key: 'a', types: ['PV'] },
  { key: 'b', types: ['PV'] },
  { key: 'c', types: ['OTHER'] },
];

const find = (produces: string): RigTool => ({ produces: [produces] });

/** The inputs of the last step, after these steps with their context keys. */
async function inputsAfter(needs: RigTool['needs'], ...before: readonly (readonly [tool: string, key: string])[]) {
  const tools = { find_pv: find('PV'), find_time: find('TIME'), read: { ...find('done'), needs: needs ?? [] } };
  const steps = before.map(([tool, key]) => decide(tool, { key }, { context_key: key }));
  const bench = reactiveBench([...steps, decide('read')], { tools });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  await bench.runtime.records.replay(run.runId);
  return verifiedPlans(await bench.events(run.runId)).at(-1)?.[0]?.inputs ?? [];
}

verifies('reactive:inputs:latest-of-type', 'uses the key of the type that was filled last', async () => {
  expect(resolveInputs(['PV'], FILLED)).toEqual([{ PV: 'b' }]);
  expect(await inputsAfter(['PV'], ['find_pv', 'a'], ['find_pv', 'b'], ['find_time', 'c'])).toEqual(['b']);
  // A key that is filled again becomes the latest.
  expect(await inputsAfter(['PV'], ['find_pv', 'a'], ['find_pv', 'b'], ['find_pv', 'a'])).toEqual(['a']);
});

verifies('reactive:inputs:requires-forms', 'a type and a tuple that starts with it are equivalent', async () => {
  expect(resolveInputs([['PV', 'single']], FILLED)).toEqual(resolveInputs(['PV'], FILLED));
  expect(resolveInputs(['PV', ['PV', 'single']], FILLED)).toEqual([{ PV: 'b' }]);
  expect(await inputsAfter([['PV', 'single']], ['find_pv', 'a'])).toEqual(await inputsAfter(['PV'], ['find_pv', 'a']));
});

verifies('reactive:inputs:absent-type-skipped', 'a type without a result adds no input and no error', async () => {
  expect(resolveInputs(['PV', 'TIME'], [{ key: 't', types: ['TIME'] }])).toEqual([{ TIME: 't' }]);
  expect(await inputsAfter(['PV', 'TIME'], ['find_time', 't'])).toEqual(['t']);
  expect(await inputsAfter(['PV', 'TIME'])).toEqual([]);
});

verifies('validate:keys:reactive-from-state', 'refuses a key that no result has filled yet', async () => {
  const tools = { find_pv: find('PV'), read: find('done') };
  const reading = decide('read', {}, { inputs: ['a'] });
  const bench = reactiveBench([reading, reading, reading, decide('find_pv', {}, { context_key: 'a' }), reading], {
    tools,
  });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  const verified = of(await bench.events(run.runId), 'plan_verified');
  expect(
    verified.map(({ verdict, problems }) => [verdict, ...problems.map(({ code, path }) => `${code} ${path}`)]),
  ).toEqual([['replan', 'invalid_context_key /steps/0/inputs/0'], ['ok'], ['ok']]);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['find_pv', 'read']);
});

describe('explicit references of the model', () => {
  const tools = { find_pv: find('PV'), read: { ...find('done'), needs: ['PV'] } };
  const twice = [decide('find_pv', { n: 1 }, { context_key: 'a' }), decide('find_pv', { n: 2 }, { context_key: 'b' })];

  test('an explicit key is not overridden', async () => {
    const bench = reactiveBench([...twice, decide('read', {}, { inputs: ['a'] })], { tools });
    const run = await bench.invoke();
    expect(verifiedPlans(await bench.events(run.runId)).at(-1)?.[0]?.inputs).toEqual(['a']);
  });

  test('a binding to a key refers to the step that filled it last', async () => {
    const bound = decide('read', { value: { $from: 'b', path: '/ok' } });
    const bench = reactiveBench([...twice, bound], { tools });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.at(-1)?.args).toEqual({ value: true });
  });

  test('drops dependencies on finished steps, and rejects unknown ones', async () => {
    const bench = reactiveBench([...twice, decide('read', {}, { depends_on: ['r1', 'r2'] })], { tools });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    const wrong = reactiveBench([decide('read', {}, { depends_on: ['r9'] }), decide('read')], { tools });
    const run = await wrong.invoke();
    const [refused] = of(await wrong.events(run.runId), 'plan_verified');
    expect(refused?.problems).toMatchObject([{ code: 'unknown_dependency' }]);
  });
});
