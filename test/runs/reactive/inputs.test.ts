/** What a step needs of earlier results is found by its type: the latest of each. */
import { describe, expect, test } from 'vitest';
import { type FilledKey, resolveInputs } from '../../../src/kernel/reactive/resolve-inputs.ts';
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

/** The inputs of the last step of a run in which these were decided before it, each under its own key. */
async function inputsAfter(needs: RigTool['needs'], ...before: readonly (readonly [tool: string, key: string])[]) {
  const tools = { find_pv: find('PV'), find_time: find('TIME'), read: { ...find('done'), needs: needs ?? [] } };
  const steps = before.map(([tool, key]) => decide(tool, { key }, { context_key: key }));
  const bench = reactiveBench([...steps, decide('read')], { tools });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  await bench.runtime.replay(run.runId);
  return verifiedPlans(await bench.events(run.runId)).at(-1)?.[0]?.inputs ?? [];
}

verifies('reactive:inputs:latest-of-type', 'of two keys of a type the one that was filled last', async () => {
  expect(resolveInputs(['PV'], FILLED)).toEqual([{ PV: 'b' }]);
  expect(await inputsAfter(['PV'], ['find_pv', 'a'], ['find_pv', 'b'], ['find_time', 'c'])).toEqual(['b']);
  // A key that is filled again is the latest, whenever it was first there.
  expect(await inputsAfter(['PV'], ['find_pv', 'a'], ['find_pv', 'b'], ['find_pv', 'a'])).toEqual(['a']);
});

verifies('reactive:inputs:requires-forms', 'a type and a tuple that it leads mean the same', async () => {
  expect(resolveInputs([['PV', 'single']], FILLED)).toEqual(resolveInputs(['PV'], FILLED));
  expect(resolveInputs(['PV', ['PV', 'single']], FILLED)).toEqual([{ PV: 'b' }]);
  expect(await inputsAfter([['PV', 'single']], ['find_pv', 'a'])).toEqual(await inputsAfter(['PV'], ['find_pv', 'a']));
});

verifies('reactive:inputs:absent-type-skipped', 'what nothing has brought yet adds no input and no error', async () => {
  expect(resolveInputs(['PV', 'TIME'], [{ key: 't', types: ['TIME'] }])).toEqual([{ TIME: 't' }]);
  expect(await inputsAfter(['PV', 'TIME'], ['find_time', 't'])).toEqual(['t']);
  expect(await inputsAfter(['PV', 'TIME'])).toEqual([]);
});

describe('what the model says itself', () => {
  const tools = { find_pv: find('PV'), read: { ...find('done'), needs: ['PV'] } };
  const twice = [decide('find_pv', { n: 1 }, { context_key: 'a' }), decide('find_pv', { n: 2 }, { context_key: 'b' })];

  test('counts: a key that it chooses is not overruled', async () => {
    const bench = reactiveBench([...twice, decide('read', {}, { inputs: ['a'] })], { tools });
    const run = await bench.invoke();
    expect(verifiedPlans(await bench.events(run.runId)).at(-1)?.[0]?.inputs).toEqual(['a']);
  });

  test('a binding to a key is one to the step that filled it last', async () => {
    const bound = decide('read', { value: { $from: 'b', path: '/ok' } });
    const bench = reactiveBench([...twice, bound], { tools });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.at(-1)?.args).toEqual({ value: true });
  });

  test('a dependency on what is done is no dependency of the step any more, one on nothing is refused', async () => {
    const bench = reactiveBench([...twice, decide('read', {}, { depends_on: ['r1', 'r2'] })], { tools });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    const wrong = reactiveBench([decide('read', {}, { depends_on: ['r9'] }), decide('read')], { tools });
    const run = await wrong.invoke();
    const [refused] = of(await wrong.events(run.runId), 'plan_verified');
    expect(refused?.problems).toMatchObject([{ code: 'unknown_dependency' }]);
  });
});
