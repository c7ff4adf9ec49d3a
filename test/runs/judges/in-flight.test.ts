/** Judges in flight: a process that dies, a cancelled run, and unexpected answers. */
import { expect, test } from 'vitest';
import type { EventBody, EventOf } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Judge } from '../../../src/ports/model/model-roles.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { judge, judgeAnswer, judgedRig, repeatPlan } from './bench.ts';

const OPTIONS = { tools: { work: { produces: ['done'] } } };

/** A run whose step is with its judge. */
function runWithJudge(): Turns {
  const run = turns({ ...OPTIONS, world: { judges: [judge({ says: [], safer: [] })] } });
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  run.say(answered(run));
  return run;
}

const judgesAnswered = (quality: number, changes: Partial<EventOf<'judges_answered'>> = {}): EventBody => ({
  type: 'judges_answered',
  about: 'a',
  answers: [
    { judge: 'reader@1', outcome: 'answered', text: JSON.stringify({ criteria: { quality } }), response: null },
  ],
  spent: NO_COST,
  ...changes,
});

test('asks the judge after the commit, and waits for nothing else', () => {
  const run = runWithJudge();
  expect(run.state.work.evidence.size).toBe(1);
  expect(run.outbox).toEqual([
    { kind: 'ask_judges', about: 'a', asked: [{ judge: 'reader@1', criteria: ['quality'] }], safer: false },
  ]);
  expect(run.state.budget?.roles.critic.reserved).toMatchObject({ input_tokens: 12_000, output_tokens: 500 });
  run.say(judgesAnswered(0.9));
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
  expect(run.state.budget?.roles.critic.reserved).toMatchObject({ input_tokens: 0, output_tokens: 0 });
});

test('asks again after a reload, and does not repeat the step', () => {
  const run = runWithJudge();
  const wanted = run.outbox;
  run.say({ type: 'run_reloaded', writer: 'other' });
  expect(run.outbox).toEqual(wanted);
  run.say(judgesAnswered(0.9));
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

test('a run cancelled meanwhile waits for the judges, then ends', () => {
  const run = runWithJudge();
  run.say({ type: 'run_cancelled', by: 'ana', reason: 'changed my mind' });
  expect(run.outbox).toEqual([{ kind: 'abort_flight', flight: 'judges' }]);
  run.say(judgesAnswered(1));
  expect(run.state.ending.terminal?.code).toBe('USER_CANCEL');
  expect(eventsOf(run.events, 'step_judged')).toEqual([]);
});

test.each([
  ['another step', judgesAnswered(1, { about: 'b' })],
  ['the run', judgesAnswered(1, { about: null })],
  ['safer judges that were not asked', judgesAnswered(1, { safer: true })],
  ['no judge', judgesAnswered(1, { answers: [] })],
  [
    'an unknown judge',
    judgesAnswered(1, { answers: [{ judge: 'friend@1', outcome: 'answered', text: '', response: null }] }),
  ],
] as const)('rejects an answer of %s', (_of, event) => {
  expect(runWithJudge().refusal(event).code).toBe('event_illegal');
});

test('rejects a second answer', () => {
  const run = runWithJudge();
  run.say(judgesAnswered(0.65));
  expect(run.refusal(judgesAnswered(1)).code).toBe('event_illegal');
});

test('ends the run if the provider spent more than is left', () => {
  const run = runWithJudge();
  run.say(judgesAnswered(1, { spent: { input_tokens: 10_000_000, output_tokens: 0, microusd: 0 } }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' });
});

test('records an outcome for judges that stall, throw or return nonsense', async () => {
  const { spec } = judge({ says: [] });
  const strange: readonly Judge['ask'][] = [
    () => new Promise(() => undefined),
    () => {
      throw new Error('out of order');
    },
    async () => undefined as never,
    async () => ({ ok: true, text: 'x'.repeat(1_000_000), finish: 'stop' }),
  ];
  const judges = strange.map((ask, place): Judge => ({ spec: { ...spec, name: `judge_${place}` }, ask }));
  const bench = rig({
    ...OPTIONS,
    plans: repeatPlan(1),
    options: { limits: { onEscalate: 'end' } },
    world: { judges },
  });
  const { runId, terminalCode } = await bench.invoke();
  const [recorded] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(recorded?.answers.map(({ outcome, text }) => [outcome, text.length])).toEqual([
    ['timed_out', 0],
    ['failed', 0],
    ['failed', 0],
    ['answered', 8_000],
  ]);
  expect(terminalCode).not.toBe('SUCCESS');
});

test('replays the recorded answers, whichever judges are configured now', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(1)] }]);
  const { runId, verdict } = await bench.invoke();
  const { journal } = bench;
  const without = judgedRig([], { world: { journal } });
  const other = judgedRig([{ says: [], version: '2' }], {
    world: { journal, judges: [judge({ says: [], version: '2' })] },
  });
  for (const { runtime } of [bench, without, other]) {
    const { state } = await runtime.records.replay(runId);
    expect(state.ending.verdict).toBe(verdict?.verdict);
    expect(
      Object.entries(state.manifest?.evaluator_versions ?? {})
        .flat()
        .join(' '),
    ).toContain('reader');
  }
  expect(
    partsOf({ ...OPTIONS, world: { judges: [judge({ says: [] })] } }).pins.agent.pins.model_versions.verifier,
  ).toBe('scripted/scripted-1');
});
