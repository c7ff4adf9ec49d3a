/** While judges are asked: a process that dies, a run that is called off, and answers that nobody asked for. */
import { expect, test } from 'vitest';
import type { EventBody, EventOf } from '../../../src/model/event.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import type { Judge } from '../../../src/ports/judge.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { again, gives, judge, judged } from './bench.ts';

const OPTIONS = { tools: { work: { produces: ['done'] } } };

/** A run whose step is with its judge. */
function asked(): Turns {
  const run = turns({ ...OPTIONS, world: { judges: [judge({ says: [], safer: [] })] } });
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  run.say(answered(run));
  return run;
}

const says = (quality: number, changes: Partial<EventOf<'judges_answered'>> = {}): EventBody => ({
  type: 'judges_answered',
  about: 'a',
  answers: [
    { judge: 'reader@1', outcome: 'answered', text: JSON.stringify({ criteria: { quality } }), response: null },
  ],
  spent: NO_COST,
  ...changes,
});

test('the judge is asked once what it judges is committed, and the run waits for nothing else', () => {
  const run = asked();
  expect(run.state.work.evidence.size).toBe(1);
  expect(run.outbox).toEqual([
    { kind: 'ask_judges', about: 'a', asked: [{ judge: 'reader@1', criteria: ['quality'] }], safer: false },
  ]);
  expect(run.state.budget?.roles.critic.reserved).toMatchObject({ input_tokens: 12_000, output_tokens: 500 });
  run.say(says(0.9));
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
  expect(run.state.budget?.roles.critic.reserved).toMatchObject({ input_tokens: 0, output_tokens: 0 });
});

test('a process that takes the run over asks again, and the step is not done again', () => {
  const run = asked();
  const wanted = run.outbox;
  run.say({ type: 'run_reloaded', writer: 'other' });
  expect(run.outbox).toEqual(wanted);
  run.say(says(0.9));
  expect(eventsOf(run.events, 'step_attempted')).toHaveLength(1);
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

test('a run that is called off while it is judged lets the judges land and ends', () => {
  const run = asked();
  run.say({ type: 'run_cancelled', by: 'somebody', reason: 'changed my mind' });
  expect(run.outbox).toEqual([{ kind: 'abort_flight', flight: 'judges' }]);
  run.say(says(1));
  expect(run.state.ending.terminal?.code).toBe('USER_CANCEL');
  expect(eventsOf(run.events, 'step_judged')).toEqual([]);
});

test.each([
  ['another step', says(1, { about: 'b' })],
  ['the run', says(1, { about: null })],
  ['judges that were not asked', says(1, { safer: true })],
  ['nobody', says(1, { answers: [] })],
  ['a stranger', says(1, { answers: [{ judge: 'friend@1', outcome: 'answered', text: '', response: null }] })],
] as const)('an answer of %s is not taken', (_of, event) => {
  expect(asked().refusal(event).code).toBe('event_illegal');
});

test('a second answer is not taken', () => {
  const run = asked();
  run.say(says(0.65));
  expect(run.refusal(says(1)).code).toBe('event_illegal');
});

test('a provider that took more than there is ends the run', () => {
  const run = asked();
  run.say(says(1, { spent: { input_tokens: 10_000_000, output_tokens: 0, microusd: 0 } }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' });
});

test('judges that stall, throw or answer nonsense have an outcome; nobody waits for them for ever', async () => {
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
  const bench = rig({ ...OPTIONS, plans: again(1), options: { limits: { onEscalate: 'end' } }, world: { judges } });
  const { runId, terminalCode } = await bench.invoke();
  const [said] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(said?.answers.map(({ outcome, text }) => [outcome, text.length])).toEqual([
    ['timed_out', 0],
    ['failed', 0],
    ['failed', 0],
    ['answered', 8_000],
  ]);
  expect(terminalCode).not.toBe('SUCCESS');
});

test('a run is judged again by what its judges have said, which it has kept, whoever judges by now', async () => {
  const bench = judged([{ says: [gives(1)] }]);
  const { runId, verdict } = await bench.invoke();
  const { journal } = bench;
  const without = judged([], { world: { journal } });
  const other = judged([{ says: [], version: '2' }], {
    world: { journal, judges: [judge({ says: [], version: '2' })] },
  });
  for (const { runtime } of [bench, without, other]) {
    const { state } = await runtime.replay(runId);
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
