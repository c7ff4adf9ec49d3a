/** Tests that an uncertain classification leads to a question. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { openQuestion, planOf, type RigOptions, rig } from '../rig.ts';
import { before, kernelOf, offer, pathOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(
  'graph:classify:confidence-or-clarify',
  'leads to scope resolution above the confidence threshold, and to the user below it',
  async () => {
    const bench = rig(OPTIONS);
    const { runId } = await bench.invoke();
    const env = kernelOf(OPTIONS);
    const events = await bench.events(runId);
    const known = events.find((event) => event.type === 'intent_classified');
    expect(known).toMatchObject({ task_class: 'task', risk: 'low', modality: 'text', capability: 'work' });
    if (known?.type !== 'intent_classified') throw new Error('not classified');
    const state = before(env, events, 'intent_classified');
    const [sure] = offer(env, state, { ...known, confidence: 0.9 });
    expect(sure.position.node).toBe('scope_resolution');
    const [unsure, effects] = offer(env, state, { ...known, confidence: 0.4 });
    expect(unsure).toMatchObject({ position: { node: 'ask_user' }, session: { status: 'paused' } });
    expect(unsure.people.question).toMatchObject({ code: 'AMBIGUOUS_INTENT', readings: ['work'] });
    expect(effects.map(({ kind }) => kind)).toEqual(['ask_user']);
  },
);

verifies(
  'graph:classify:confidence-or-clarify',
  'ends with AMBIGUOUS_INTENT if the user does not answer in time',
  async () => {
    const bench = rig(OPTIONS);
    const waiting = await bench.invoke({ intent: 'something_else', goal: { statement: 'Do something' } });
    expect(waiting).toMatchObject({ status: 'paused', question: { fields: ['intent'], readings: ['work'] } });
    expect(pathOf(kernelOf(OPTIONS), await bench.events(waiting.runId)).at(-1)).toBe('ask_user');
    bench.clock.advanceTo(bench.clock.nowMs() + 25 * 3_600_000);
    const late = bench.settle(
      bench.runtime.sessions.answer(waiting.runId, openQuestion(waiting), { intent: 'work' }, 'user_1'),
    );
    expect(await late).toMatchObject({ terminalCode: 'AMBIGUOUS_INTENT', reason: 'session_expired' });
    expect(bench.planner.requests).toEqual([]);
  },
);
