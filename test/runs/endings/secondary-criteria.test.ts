/** Tests that an unmet secondary criterion does not keep a run going and is reported. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { planOf, type Rig, rig } from '../rig.ts';

const WISH = { id: 'thanked', statement: 'The customer is thanked.', rank: 'secondary', evidence: 'thanks' } as const;

function wishing(steps: readonly string[]): Rig {
  return rig({
    tools: { finish: { produces: ['done'] }, thank: { produces: ['thanks'] }, idle: {} },
    plans: [planOf(steps.map((tool, n) => ({ id: `s${n}`, tool })))],
    agent: (agent): AgentSpec => ({
      ...agent,
      intents: agent.intents.map((intent) => ({ ...intent, criteria: [...(intent.criteria ?? []), WISH] })),
    }),
  });
}

test('ends with PARTIAL_SUCCESS and without a replan if a secondary criterion is unmet', async () => {
  const bench = wishing(['finish']);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS', text: 'The work is done.' });
  expect((await bench.events(outcome.runId)).at(-1)).toMatchObject({ detail: { unresolved: ['thanked'] } });
  expect(bench.planner.requests).toHaveLength(1);
  await expect(bench.runtime.records.replay(outcome.runId)).resolves.toBeDefined();
});

test('ends with SUCCESS if both are met, and plans again if a primary criterion is unmet', async () => {
  expect((await wishing(['finish', 'thank']).invoke()).terminalCode).toBe('SUCCESS');
  const short = wishing(['thank']);
  expect((await short.invoke()).terminalCode).not.toBe('PARTIAL_SUCCESS');
  expect(short.planner.requests[1]?.reason).toMatchObject({ code: 'criteria_unmet' });
});
