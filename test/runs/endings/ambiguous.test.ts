/** A goal that can be read in two ways is not guessed at. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, asked, countingIds, planOf, REQUEST, START_MS, toolSpec } from '../rig.ts';

const GOAL = {
  statement: 'Close the account of the customer',
  acceptance_criteria: [{ id: 'closed', statement: 'It is closed.', rank: 'primary', evidence: 'done' }],
};

/** One reading locks an account, the other deletes it: other plans and another risk. */
function desk() {
  const clock = simulatedClock(START_MS);
  const base = agentFor(['lock', 'delete']);
  const [work] = base.intents;
  if (work === undefined) throw new Error('no intent');
  const sent: string[] = [];
  const tool = (name: string) => ({
    spec: toolSpec(name, { produces: ['done'] }),
    execute: () => {
      sent.push(name);
      return { ok: true };
    },
  });
  const runtime = ambit({
    agent: {
      ...base,
      intents: [
        { ...work, intent: 'lock_account', description: 'Close the account to the customer for a while' },
        { ...work, intent: 'delete_account', description: 'Close the account of the customer for good', risk: 'high' },
      ],
    },
    tools: [tool('lock'), tool('delete')],
    planner: templatePlanner({
      lock_account: planOf([{ id: 'a', tool: 'lock' }], { plan_id: 'plan_lock' }),
      delete_account: planOf([{ id: 'a', tool: 'delete' }], { plan_id: 'plan_delete' }),
    }),
    world: { clock, timer: clock, ids: countingIds() },
  });
  return { runtime, clock, sent, invoke: () => runtime.invoke({ ...REQUEST, intent: 'close', goal: GOAL }) };
}

verifies(
  ['terminate:ambiguous:candidates-offered', 'escalate:ambiguous:interpretations-listed'],
  'both readings are listed, and waiting chooses neither',
  async () => {
    const { runtime, clock, sent, invoke } = desk();
    const asked = await invoke();
    expect(asked).toMatchObject({ status: 'paused', authority: 'user', suspended: { code: 'AMBIGUOUS_INTENT' } });
    expect(asked.question?.readings).toEqual(expect.arrayContaining(['lock_account', 'delete_account']));
    clock.advanceTo(START_MS + 3_600_000);
    expect(await runtime.outcome(asked.runId)).toMatchObject({ status: 'paused', question: asked.question });
    expect(sent).toEqual([]);
  },
);

verifies('terminate:ambiguous:candidates-offered', 'the chosen reading is the one that is planned', async () => {
  const { runtime, sent, invoke } = desk();
  const waiting = await invoke();
  const { runId } = waiting;
  const question = asked(waiting);
  await expect(runtime.answer(runId, question, { intent: 'something_else' }, 'user_1')).rejects.toMatchObject({
    code: 'input_invalid',
  });
  const done = await runtime.answer(runId, question, { intent: 'lock_account' }, 'user_1');
  expect(done).toMatchObject({ runId, terminalCode: 'SUCCESS', verdict: { plan_id: 'plan_lock' } });
  expect(sent).toEqual(['lock']);
});

verifies('escalate:ambiguous:interpretations-listed', 'the question on record holds both', async () => {
  const { runtime, invoke } = desk();
  const { runId } = await invoke();
  const events = (await runtime.frames(runId)).flatMap((frame) => JSON.parse(frame.events));
  const asked = events.find(({ type }) => type === 'question_asked');
  expect(asked.readings).toEqual(expect.arrayContaining(['lock_account', 'delete_account']));
});
