/** Who says that the work is done, and it is not, is on record; the run ends by its criteria and is reopened by nobody's word. */
import { expect, test } from 'vitest';
import { planOf, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const TOOLS = { look: {}, answer: { speaks: 'respond' }, finish: { produces: ['done'] } } as const;
const EARLY = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'answer', depends_on: ['a'] },
]);
const RIGHT = planOf([{ id: 'c', tool: 'finish' }], { plan_id: 'plan_2' });

test('an answer while a criterion is open is flagged, and the run goes on', async () => {
  const bench = rig({ tools: TOOLS, plans: [EARLY, RIGHT] });
  const { runId, terminalCode } = await bench.invoke();
  const all = await bench.events(runId);
  expect(eventsOf(all, 'run_judged')[0]?.unmet).toEqual(['finished']);
  expect(eventsOf(all, 'violation_noted')).toMatchObject([
    {
      violation: 'termination',
      subject: 'SUCCESS',
      indicator: 'premature_termination',
      why: 'these criteria are not met: finished',
    },
  ]);
  expect(terminalCode).toBe('SUCCESS');
  const types = all.map(({ type }) => type);
  expect(types.indexOf('violation_noted')).toBeLessThan(types.lastIndexOf('step_attempted'));
  expect(eventsOf(all, 'response_compiled')).toHaveLength(1);
  await bench.runtime.replay(runId);
});

test('a plan that only ends without an answer has claimed nothing', async () => {
  const bench = rig({ tools: TOOLS, plans: [planOf([{ id: 'a', tool: 'look' }]), RIGHT] });
  const { runId } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'violation_noted')).toEqual([]);
});

test.each([
  { type: 'transition_requested', to: 'plan' },
  { type: 'proposal_made', kind: 'plan', payload: RIGHT },
] as const)('a model that asks to reopen what has ended is refused ($type)', async (said) => {
  const bench = rig({ tools: TOOLS, plans: [EARLY], options: { limits: { onEscalate: 'end' } } });
  const { runId } = await bench.invoke();
  const before = (await bench.events(runId)).length;
  await expect(bench.settle(bench.runtime.tell(runId, said))).rejects.toMatchObject({ code: 'session_terminal' });
  expect(await bench.events(runId)).toHaveLength(before);
});
