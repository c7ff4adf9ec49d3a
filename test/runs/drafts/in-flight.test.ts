/** While something is written: a process that dies, a run that is called off, and answers that nobody asked for. */
import { expect, test } from 'vitest';
import type { EventBody, EventOf } from '../../../src/model/event.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import type { Drafter } from '../../../src/ports/drafter.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';
import { LETTER, MAIL_SCHEMA } from './bench.ts';

const DRAFTER: Drafter = {
  cost: { input_tokens: 500, output_tokens: 100, microusd: 900 },
  draft: async () => ({ '/text': LETTER }),
};

/** A run whose first step waits for its text. */
function open(): Turns {
  const run = turns({
    tools: { send: { input_schema: MAIL_SCHEMA, produces: ['done'] } },
    world: { drafter: DRAFTER },
  });
  run.say(proposed(planOf([{ id: 's', tool: 'send', params: { to: 'ana', text: { $draft: 'A greeting' } } }])));
  return run;
}

const wrote = (changes: Partial<EventOf<'arguments_drafted'>> = {}): EventBody => ({
  type: 'arguments_drafted',
  step_id: 's',
  drafts: { '/text': LETTER },
  spent: NO_COST,
  ...changes,
});

test('it is asked for before anything is cleared, and what it may take is set aside', () => {
  const run = open();
  expect(run.outbox).toEqual([
    {
      kind: 'draft_arguments',
      step_id: 's',
      tool: 'send',
      drafts: [{ pointer: '/text', instruction: 'A greeting', using: [] }],
    },
  ]);
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
  expect(run.state.budget?.roles.executor.reserved).toMatchObject({ input_tokens: 500, cost_microusd: 900 });
  run.say(wrote());
  expect(eventsOf(run.events, 'step_cleared')[0]?.args).toEqual({ to: 'ana', text: LETTER });
  run.say(answered(run));
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

test('a process that takes the run over asks again', () => {
  const run = open();
  const wanted = run.outbox;
  run.say({ type: 'run_reloaded', writer: 'other' });
  expect(run.outbox).toEqual(wanted);
});

test('a run that is called off meanwhile lets the draft land and ends, and nothing is cleared', () => {
  const run = open();
  run.say({ type: 'run_cancelled', by: 'somebody', reason: 'changed my mind' });
  expect(run.outbox).toEqual([{ kind: 'abort_flight', flight: 'draft' }]);
  run.say(wrote());
  expect(run.state.ending.terminal?.code).toBe('USER_CANCEL');
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
});

test('a run that is paused meanwhile goes on with what was written once somebody lets it', () => {
  const run = open();
  run.say({ type: 'run_paused', cause: 'operator', by: 'ana' });
  run.say(wrote());
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
  run.say({ type: 'run_resumed', by: 'ana', operator: true });
  expect(eventsOf(run.events, 'step_cleared')[0]?.args).toMatchObject({ text: LETTER });
});

test.each([
  ['another step', wrote({ step_id: 't' })],
  ['a place that is not open', wrote({ drafts: { '/text': LETTER, '/to': 'eve' } })],
  ['another place', wrote({ drafts: { '/to': 'eve' } })],
] as const)('a draft for %s is not taken', (_of, event) => {
  expect(open().refusal(event).code).toBe('event_illegal');
});

test('a second draft, and one that nobody asked for, are not taken', () => {
  const run = open();
  run.say(wrote());
  expect(run.refusal(wrote()).code).toBe('event_illegal');
});

test('a provider that took more than there is ends the run', () => {
  const run = open();
  run.say(wrote({ spent: { input_tokens: 10_000_000, output_tokens: 0, microusd: 0 } }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' });
});

test('what a journal says was written is held against the tool, too', () => {
  const run = open();
  run.say(wrote({ drafts: { '/text': 'x' } }));
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
  expect(run.state.planning.reason).toMatchObject({ code: 'argument_invalid', step_id: 's' });
});
