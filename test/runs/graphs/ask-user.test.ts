/** Tests that a run does nothing while it waits for an answer of the user. */
import { expect } from 'vitest';
import { movesMade } from '../../../src/kernel/state/call-state.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { openQuestion, planOf, type RigOptions, rig } from '../rig.ts';
import { before, kernelOf, offer, pathOf, turn, turnsOf } from './kernel.ts';

const ID = 'graph:ask-user:suspend-until-input';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};
const CRITERIA = [{ id: 'finished', statement: 'It is done.', rank: 'primary', evidence: 'done' }];
const UNCLEAR: JsonObject = {
  intent: 'something_else',
  goal: { statement: 'Do something', acceptance_criteria: CRITERIA },
};

verifies(ID, 'calls no model and no tool until the answer comes', async () => {
  const bench = rig(OPTIONS);
  const waiting = await bench.invoke(UNCLEAR);
  expect(waiting.question?.fields).toEqual(['intent']);
  bench.clock.advanceTo(bench.clock.nowMs() + 3_600_000);
  expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ status: 'paused', terminalCode: null });
  expect([bench.planner.requests.length, bench.dispatches.length]).toEqual([0, 0]);
  const done = await bench.settle(
    bench.runtime.sessions.answer(waiting.runId, openQuestion(waiting), { intent: 'work' }, 'user_1'),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  const path = pathOf(kernelOf(OPTIONS), await bench.events(waiting.runId));
  expect(path[path.indexOf('ask_user') + 1]).toBe('scope_resolution');
});

verifies(ID, 'a cancel ends the wait', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke(UNCLEAR);
  const ended = await bench.runtime.sessions.send(runId, { type: 'run_cancelled', by: 'user_1', reason: 'never mind' });
  expect(ended).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(pathOf(kernelOf(OPTIONS), await bench.events(runId)).slice(-2)).toEqual(['ask_user', 'terminate']);
});

const missingOrder = async (): Promise<RunState> => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const refused = { layer: 'schema' as const, code: 'argument_invalid' as const, message: '', missing: ['order_id'] };
  const state = before(env, await bench.events(runId), 'step_cleared');
  return offer(env, state, { type: 'step_refused', step_id: 'a', ...refused })[0];
};
const answered = {
  type: 'question_answered',
  question_id: 'question_1',
  answers: { order_id: 'ord_1' },
  by: 'user_1',
} as const;

verifies(ID, 'an answer leads to the plan, and one that changes the scope to scope resolution', async () => {
  const asked = await missingOrder();
  expect(asked.position.node).toBe('ask_user');
  const env = turnsOf(OPTIONS);
  const plain = turn(env, asked, { ...answered, changes_scope: false });
  expect(movesMade(plain.state.position.moves)).toEqual(['plan']);
  expect(plain.outbox.map(({ kind }) => kind)).toEqual(['propose_plan']);
  expect(plain.state.intake.answers).toEqual({ order_id: 'ord_1' });
  const [rescoped] = offer(env.env, asked, { ...answered, changes_scope: true });
  expect(movesMade(rescoped.position.moves)).toEqual(['scope_resolution']);
});
