/** Drafts in flight: a process that dies, a run that is cancelled or paused, and unexpected answers. */
import { expect, test } from 'vitest';
import type { EventBody, EventOf } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Drafter } from '../../../src/ports/model/model-roles.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';
import { LETTER, MAIL_SCHEMA } from './bench.ts';

const DRAFTER: Drafter = {
  cost: { input_tokens: 500, output_tokens: 100, microusd: 900 },
  draft: async () => ({ '/text': LETTER }),
};

/** A run whose first step waits for its draft. */
function startDraft(): Turns {
  const run = turns({
    tools: { send: { input_schema: MAIL_SCHEMA, produces: ['done'] } },
    world: { drafter: DRAFTER },
  });
  run.say(proposed(planOf([{ id: 's', tool: 'send', params: { to: 'ana', text: { $draft: 'A greeting' } } }])));
  return run;
}

const draftedEvent = (changes: Partial<EventOf<'arguments_drafted'>> = {}): EventBody => ({
  type: 'arguments_drafted',
  step_id: 's',
  drafts: { '/text': LETTER },
  spent: NO_COST,
  ...changes,
});

test('requests the draft before clearance and reserves its cost', () => {
  const run = startDraft();
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
  run.say(draftedEvent());
  expect(eventsOf(run.events, 'step_cleared')[0]?.args).toEqual({ to: 'ana', text: LETTER });
  run.say(answered(run));
  expect(run.state.ending.terminal?.code).toBe('SUCCESS');
});

test('requests the draft again after a reload', () => {
  const run = startDraft();
  const wanted = run.outbox;
  run.say({ type: 'run_reloaded', writer: 'other' });
  expect(run.outbox).toEqual(wanted);
});

test('a run cancelled meanwhile waits for the draft, then ends without clearing the step', () => {
  const run = startDraft();
  run.say({ type: 'run_cancelled', by: 'ana', reason: 'changed my mind' });
  expect(run.outbox).toEqual([{ kind: 'abort_flight', flight: 'draft' }]);
  run.say(draftedEvent());
  expect(run.state.ending.terminal?.code).toBe('USER_CANCEL');
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
});

test('a run paused meanwhile continues with the draft after it is resumed', () => {
  const run = startDraft();
  run.say({ type: 'run_paused', cause: 'operator', by: 'ana' });
  run.say(draftedEvent());
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
  run.say({ type: 'run_resumed', by: 'ana', operator: true });
  expect(eventsOf(run.events, 'step_cleared')[0]?.args).toMatchObject({ text: LETTER });
});

test.each([
  ['another step', draftedEvent({ step_id: 't' })],
  ['an argument that is not open', draftedEvent({ drafts: { '/text': LETTER, '/to': 'eve' } })],
  ['another argument', draftedEvent({ drafts: { '/to': 'eve' } })],
] as const)('rejects a draft for %s', (_of, event) => {
  expect(startDraft().refusal(event).code).toBe('event_illegal');
});

test('rejects a second draft', () => {
  const run = startDraft();
  run.say(draftedEvent());
  expect(run.refusal(draftedEvent()).code).toBe('event_illegal');
});

test('ends the run if the provider spent more than is left', () => {
  const run = startDraft();
  run.say(draftedEvent({ spent: { input_tokens: 10_000_000, output_tokens: 0, microusd: 0 } }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' });
});

test("validates a recorded draft against the tool's schema", () => {
  const run = startDraft();
  run.say(draftedEvent({ drafts: { '/text': 'x' } }));
  expect(eventsOf(run.events, 'step_cleared')).toEqual([]);
  expect(run.state.planning.reason).toMatchObject({ code: 'argument_invalid', step_id: 's' });
});
