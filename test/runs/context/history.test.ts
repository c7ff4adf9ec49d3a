/** Compressing a stepwise run summarizes finished steps in its history and keeps failed ones. */
import { expect, test } from 'vitest';
import { activeContext } from '../../../src/kernel/query/critic-input/active-context.ts';
import { reactiveInstructions, reactiveMessages } from '../../../src/roles/prompts/reactive.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, rig } from '../rig.ts';

const singleStepPlan = (id: string, tool: string, n = 0) =>
  planOf([{ id, tool, params: { n } }], { plan_id: `plan_${id}` });

test('finished steps leave the conversation, and the planner still sees that they are done', async () => {
  const plans = [
    singleStepPlan('a', 'look'),
    singleStepPlan('b', 'broken'),
    singleStepPlan('c', 'look', 1),
    singleStepPlan('d', 'finish'),
  ];
  const planner = scriptedPlanner(plans, { contextTokens: 90_000 });
  let asked = 0;
  const crowdedOnce = {
    ...planner,
    propose: async (...args: Parameters<typeof planner.propose>) => {
      asked += 1;
      const answer = await planner.propose(...args);
      return { ...answer, contextTokens: asked === 3 ? 90_000 : 0 };
    },
  };
  const bench = rig({
    tools: {
      look: { execute: () => ({ page: 'x'.repeat(60_000) }) },
      broken: {
        retries_max: 0,
        execute: () => {
          throw new Error('out of order');
        },
      },
      finish: { produces: ['done'] },
    },
    options: { graph: 'reactive', limits: { planning: 'stepwise' }, planner: crowdedOnce } as never,
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const [compressed] = eventsOf(await bench.events(runId), 'context_compressed');
  // The decision and the observation of `a`. Step `b` failed, and `c` is the newest.
  expect(compressed?.demoted).toEqual(expect.arrayContaining(['history:0', 'history:1']));
  expect(compressed?.demoted?.filter((pointer) => pointer.startsWith('history:'))).toHaveLength(2);
  expect(compressed?.tokens).toBeLessThan(80_000);
  const last = planner.requests.at(-1);
  if (last === undefined) throw new Error('no request was made');
  expect(last.history.map((message) => (message.kind === 'decision' ? message.step.id : message.step_id))).toEqual([
    'b',
    'b',
    'c',
    'c',
  ]);
  const texts = reactiveMessages(last).map(({ text }) => text);
  expect(texts.some((text) => text.includes('out of order'))).toBe(true);
  expect(reactiveInstructions(last)).toMatch(/# Done so far\n\n- step a \(look\) returned/);
  const { turns } = await bench.runtime.records.replay(runId);
  const state = turns.at(-1)?.state;
  if (state === undefined) throw new Error('the replay has no state');
  expect(activeContext(state, { items: [], notes: [] }).context.demoted).toContain('history:0');
});
