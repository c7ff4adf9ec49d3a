/** Tests that a run asks for a missing field by name, and continues with the answer or ends without one. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { openQuestion, planOf, type Rig, rig, START_MS } from '../rig.ts';
import { eventsOf } from './turns.ts';

const bench = (): Rig =>
  rig({
    tools: { book: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'book', params: { date: '2026-05-04' } }])],
  });
const GOAL = { goal: { statement: 'Book the room', required_fields: ['date'] } };

verifies(
  ['terminate:missing-info:suspend-and-name-field', 'escalate:missing-input:specific-question'],
  'asks for the field by name and guesses nothing',
  async () => {
    const asking = bench();
    const outcome = await asking.invoke({ ...GOAL, inputs: { room: 'blue' } });
    expect(outcome).toMatchObject({
      status: 'paused',
      authority: 'user',
      question: { fields: ['date'] },
      suspended: { code: 'MISSING_INFO', detail: { fields: ['date'] } },
    });
    expect(asking.planner.requests).toEqual([]);
    const { state } = await asking.runtime.records.replay(outcome.runId);
    expect(state.intake.answers).toEqual({ room: 'blue' });
  },
);

verifies(
  'escalate:missing-input:specific-question',
  'asks for all missing fields at once, and for no others',
  async () => {
    const goal = { statement: 'Book the room', required_fields: ['date', 'room', 'guests'] };
    const outcome = await bench().invoke({ goal, inputs: { room: 'blue' } });
    expect(outcome).toMatchObject({ status: 'paused', question: { fields: ['date', 'guests'] } });
  },
);

verifies('terminate:missing-info:suspend-and-name-field', 'continues the same run with the answer', async () => {
  const asking = bench();
  const waiting = await asking.invoke(GOAL);
  const { runId } = waiting;
  const answer = asking.runtime.sessions.answer(runId, openQuestion(waiting), { date: '2026-05-04' }, 'user_1');
  expect(await asking.settle(answer)).toMatchObject({ runId, terminalCode: 'SUCCESS' });
  expect(asking.planner.requests[0]?.inputs).toEqual({ date: '2026-05-04' });
});

verifies(
  'terminate:missing-info:suspend-and-name-field',
  'ends with MISSING_INFO and its trace if no answer comes',
  async () => {
    const asking = bench();
    const waiting = await asking.invoke({ ...GOAL, runtime: { max_session_duration_ms: 60_000 } });
    const { runId } = waiting;
    asking.clock.advanceTo(START_MS + 60_000);
    expect(await asking.settle(asking.runtime.resume(runId))).toMatchObject({
      status: 'expired',
      terminalCode: 'MISSING_INFO',
      reason: 'session_expired',
    });
    const events = await asking.events(runId);
    expect(eventsOf(events, 'run_terminated')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'run_terminated', detail: { fields: ['date'] } });
    await expect(
      asking.runtime.sessions.answer(runId, openQuestion(waiting), { date: 'x' }, 'user_1'),
    ).rejects.toMatchObject({
      code: 'session_terminal',
    });
  },
);
