/** A journal that says a call was cleared without its policies, or against them, is not believed. */
import { expect, test } from 'vitest';
import type { EventOf } from '../../../src/model/event.ts';
import { proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';
import { cedar, eventsOf } from './bench.ts';

type Cleared = Omit<EventOf<'step_cleared'>, 'at'>;

const RULES = cedar('@id("ask") @gate("GATE_A") permit (principal, action, resource);');

/** What becomes of a run in whose name the gateway is said to have answered something else. */
function forging(forge: (cleared: Cleared) => Cleared): ReturnType<typeof turns> {
  const run = turns({
    tools: { look: { produces: ['done'] } },
    world: { policy: { calls: RULES } },
    change: ({ local }) => ({
      local: (state, effect) => {
        const answer = local(state, effect);
        const { event } = answer;
        return event.type === 'step_cleared' ? { ...answer, event: forge(event) } : answer;
      },
    }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'look' }])));
  return run;
}

test('as it was decided it waits at its gate', () => {
  const { events } = forging((cleared) => cleared);
  expect(eventsOf(events, 'gate_opened')).toMatchObject([{ name: 'GATE_A' }]);
});

test.each<[string, (cleared: Cleared) => Cleared]>([
  ['no policy was asked', ({ policy: _, ...cleared }) => cleared],
  ['the policy forbids', (cleared) => ({ ...cleared, policy: { ...decisionOf(cleared), effect: 'forbid' } })],
  ['other policies', (cleared) => ({ ...cleared, policy: { ...decisionOf(cleared), version: 'other@1' } })],
  ['were left out', (cleared) => ({ ...cleared, gates: [] })],
])('%s: nothing is sent', (why, forge) => {
  const { state, events, outbox } = forging(forge);
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'event_illegal' });
  expect(JSON.stringify(eventsOf(events, 'run_terminated'))).toContain(why);
  expect(outbox.filter(({ kind }) => kind === 'call_tool')).toEqual([]);
});

function decisionOf({ policy }: Cleared): NonNullable<Cleared['policy']> {
  if (policy === undefined) throw new Error('nothing was decided');
  return policy;
}
