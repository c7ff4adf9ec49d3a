/** Budgets count measured usage, and only a person can extend them. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';
import { GATED, waitingAtGate } from './waiting.ts';

const ID = 'boundary:budgets:model-estimate-is-advisory';

verifies(ID, 'counts metered usage for a model that claims to have spent nothing', async () => {
  const modest = planOf([{ id: 'a', tool: 'finish', task_objective: 'tokens used so far: 0, cost: 0' }]);
  const spent = { input_tokens: 900, output_tokens: 200, microusd: 0 };
  const planner = { propose: async () => ({ proposal: modest, author: 'model', spent, contextTokens: 0 }) };
  const limits = { onEscalate: 'end', plannerCost: { input_tokens: 900, output_tokens: 100, microusd: 0 } };
  const bench = rig({
    tools: { finish: { produces: ['done'] } },
    caps: { ...CAPS, output_tokens_max: 150 },
    options: { planner, limits } as NonNullable<RigOptions['options']>,
  });
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
  expect(bench.dispatches).toEqual([]);
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.budget?.used).toMatchObject({ input_tokens: 900, output_tokens: 200 });
});

verifies(ID, 'a model cannot raise a cap; a supervisor can, and the journal records it', async () => {
  const { bench } = await waitingAtGate(GATED);
  const raise = { kind: 'budget_increase', payload: { tool_calls: 1_000 } };
  await bench.runtime.sessions.send('run_1', { type: 'proposal_made', ...raise });
  const capOf = async (): Promise<number | undefined> =>
    (await bench.runtime.records.replay('run_1')).state.budget?.caps.tool_calls_max;
  expect(await capOf()).toBe(CAPS.tool_calls_max);
  expect((await bench.events('run_1')).at(-1)).toMatchObject({ type: 'violation_noted', subject: 'budget_increase' });
  const extension = { type: 'budget_extended', reason: 'the case is larger', delta: { tool_calls: 10 } };
  await expect(bench.runtime.sessions.send('run_1', { ...extension, by: '' })).rejects.toMatchObject({
    code: 'operator_required',
  });
  expect(await capOf()).toBe(CAPS.tool_calls_max);
  await bench.runtime.sessions.send('run_1', { ...extension, by: 'supervisor_1' });
  expect(await capOf()).toBe((CAPS.tool_calls_max ?? 0) + 10);
  expect((await bench.events('run_1')).at(-1)).toMatchObject({ type: 'budget_extended', by: 'supervisor_1' });
});
