/** What is only wished for does not keep a run going: it is left open, and said to be. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent.ts';
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

test('a secondary criterion that nothing shows ends the run as a partial success, without planning again', async () => {
  const bench = wishing(['finish']);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS', answer: 'The work is done.' });
  expect((await bench.events(outcome.runId)).at(-1)).toMatchObject({ detail: { unresolved: ['thanked'] } });
  expect(bench.planner.requests).toHaveLength(1);
  await expect(bench.runtime.replay(outcome.runId)).resolves.toBeDefined();
});

test('with the secondary one met as well it is a success, and a primary one that is not is planned for again', async () => {
  expect((await wishing(['finish', 'thank']).invoke()).terminalCode).toBe('SUCCESS');
  const short = wishing(['thank']);
  expect((await short.invoke()).terminalCode).not.toBe('PARTIAL_SUCCESS');
  expect(short.planner.requests[1]?.reason).toMatchObject({ code: 'criteria_unmet' });
});
