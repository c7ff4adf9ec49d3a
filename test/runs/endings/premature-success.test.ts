/** Tests that a premature claim of success is recorded and does not end the run, and that no model can reopen a run. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, operator, planOf, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'pathology:premature-termination:code-conflicts-validation';

const TOOLS = { look: {}, answer: { speaks: 'respond' }, finish: { produces: ['done'] } } as const;
const EARLY = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'answer', depends_on: ['a'] },
]);
const RIGHT = planOf([{ id: 'c', tool: 'finish' }], { plan_id: 'plan_2' });

verifies(ID, 'records a claim of SUCCESS with an unmet criterion, and the run continues', async () => {
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
  await bench.runtime.records.replay(runId);
});

test('a plan that ends without an answer claims nothing', async () => {
  const bench = rig({ tools: TOOLS, plans: [planOf([{ id: 'a', tool: 'look' }]), RIGHT] });
  const { runId } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'violation_noted')).toEqual([]);
});

describe('an ended run', () => {
  const again = (n: number) =>
    planOf(
      [
        { id: `a${n}`, tool: 'look', params: { n } },
        { id: `b${n}`, tool: 'answer' },
      ],
      { plan_id: `plan_${n}` },
    );
  const options = {
    tools: TOOLS,
    caps: { ...CAPS, replan_attempts_max: 1 },
    options: { limits: { onEscalate: 'end' } },
    plans: [again(1), again(2), RIGHT],
  } as const;

  const asked = [
    { type: 'transition_requested', to: 'plan' },
    { type: 'proposal_made', kind: 'plan', payload: RIGHT },
  ] as const;
  verifies(ID, 'cannot be reopened by a model', async () => {
    const bench = rig(options);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('VALIDATION_FAIL');
    const before = (await bench.events(runId)).length;
    for (const event of asked) {
      await expect(bench.settle(bench.runtime.sessions.send(runId, event))).rejects.toMatchObject({
        code: 'session_terminal',
      });
    }
    expect(await bench.events(runId)).toHaveLength(before);
  });

  verifies(ID, 'continues as a fork from a checkpoint, which names the old run', async () => {
    const bench = rig(options);
    const { runId } = await bench.invoke();
    const { state_checkpoints } = await bench.runtime.records.trace(runId);
    const at =
      state_checkpoints.find(({ judged, after_step }) => judged === 'step' && after_step === 'b1')?.checkpoint_id ?? '';
    const person = { simulate: false, credential: operator('ana', ['operator']), reason: 'it was not done' };
    const reopened = await bench.settle(bench.runtime.records.fork(runId, { at, ...person }));
    expect(reopened).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(reopened.runId).not.toBe(runId);
    const [forked] = eventsOf(await bench.events(reopened.runId), 'run_forked');
    expect(forked).toMatchObject({ parent: { run_id: runId, checkpoint_id: at }, reason: 'it was not done' });
    expect((await bench.runtime.sessions.get(runId)).terminalCode).toBe('VALIDATION_FAIL');
    await bench.runtime.records.replay(reopened.runId);
  });
});
