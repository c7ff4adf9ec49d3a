/** Tests that an ambiguous goal leads to a question instead of a guess. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { accountAgent, CLOSE_IT } from '../intake/accounts.ts';
import { countingIds, openQuestion, REQUEST, START_MS } from '../rig.ts';

function accountBench() {
  const clock = simulatedClock(START_MS);
  const sent: string[] = [];
  const runtime = ambit({ ...accountAgent(sent), world: { clock, timer: clock, ids: countingIds() } });
  return { runtime, clock, sent, invoke: () => runtime.invoke({ ...REQUEST, intent: 'close', goal: CLOSE_IT }) };
}

verifies(
  ['terminate:ambiguous:candidates-offered', 'escalate:ambiguous:interpretations-listed'],
  'lists both readings, and chooses neither while it waits',
  async () => {
    const { runtime, clock, sent, invoke } = accountBench();
    const asked = await invoke();
    expect(asked).toMatchObject({ status: 'paused', authority: 'user', suspended: { code: 'AMBIGUOUS_INTENT' } });
    expect(asked.question?.readings).toEqual(expect.arrayContaining(['lock_account', 'delete_account']));
    clock.advanceTo(START_MS + 3_600_000);
    expect(await runtime.sessions.get(asked.runId)).toMatchObject({ status: 'paused', question: asked.question });
    expect(sent).toEqual([]);
  },
);

verifies(
  'terminate:ambiguous:candidates-offered',
  'plans the reading that the user chooses, and rejects any other',
  async () => {
    const { runtime, sent, invoke } = accountBench();
    const waiting = await invoke();
    const { runId } = waiting;
    const question = openQuestion(waiting);
    await expect(
      runtime.sessions.answer(runId, question, { intent: 'something_else' }, 'user_1'),
    ).rejects.toMatchObject({
      code: 'input_invalid',
    });
    const done = await runtime.sessions.answer(runId, question, { intent: 'lock_account' }, 'user_1');
    expect(done).toMatchObject({ runId, terminalCode: 'SUCCESS', verdict: { plan_id: 'plan_lock' } });
    expect(sent).toEqual(['lock']);
  },
);

verifies('escalate:ambiguous:interpretations-listed', 'records the question with both readings', async () => {
  const { runtime, invoke } = accountBench();
  const { runId } = await invoke();
  const events = (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events));
  const asked = events.find(({ type }) => type === 'question_asked');
  expect(asked.readings).toEqual(expect.arrayContaining(['lock_account', 'delete_account']));
});
