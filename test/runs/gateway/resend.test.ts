/**
 * Tests that a call whose process died is sent again as the same call, to the same tools, after the first one is over.
 */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { answered, proposed, type Turns, type TurnsOptions, turns } from '../endings/turns.ts';
import { planOf, type RigTool, START_MS } from '../rig.ts';

const TIMEOUT_MS = 1_000;
const WINDOW_MS = 5_000;
const RELOADED: EventBody = { type: 'run_reloaded', writer: 'other' };

const PAY: RigTool = {
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: { kind: 'key', retention_ms: 600_000 },
  timeout_ms: TIMEOUT_MS,
  produces: ['done'],
};
const READ: RigTool = { timeout_ms: TIMEOUT_MS, produces: ['done'] };

/** A run whose only step is in flight. */
function out(tool: RigTool, change: NonNullable<TurnsOptions['change']> = () => ({})): Turns {
  const run = turns({ tools: { work: tool }, options: { limits: { dispatchWindowMs: WINDOW_MS } }, change });
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  return run;
}

test('sends a call with side effects again only after the first one has timed out', () => {
  const run = out(PAY);
  const [first] = run.outbox;
  expect(first).toMatchObject({ kind: 'call_tool', dispatch_before: START_MS + WINDOW_MS, timeout_ms: TIMEOUT_MS });
  run.say(RELOADED, 100);
  const not_before = START_MS + WINDOW_MS + TIMEOUT_MS;
  expect(run.outbox).toEqual([{ ...first, not_before, dispatch_before: not_before + WINDOW_MS }]);
});

test('a second takeover waits for the latest dispatch, not for the first', () => {
  const run = out(PAY);
  run.say(RELOADED, 100);
  run.say(RELOADED, 200);
  const not_before = START_MS + 2 * (WINDOW_MS + TIMEOUT_MS);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', not_before, dispatch_before: not_before + WINDOW_MS }]);
});

test('sends a read again at once', () => {
  const run = out(READ);
  run.say(RELOADED, 100);
  const dispatch_before = START_MS + 100 + WINDOW_MS;
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', not_before: 0, dispatch_before }]);
});

test('sends a dispatcher call again with the same inner tools, so that their limits and switches apply', () => {
  const run = turns({ tools: { run: { unwrap: { tool: '/tool', args: '/args' } }, look: READ } });
  run.say(proposed(planOf([{ id: 'a', tool: 'run', params: { tool: 'look', args: {} } }])));
  const [first] = run.outbox;
  expect(first).toMatchObject({ kind: 'call_tool', behind: ['look'] });
  run.say(RELOADED);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', behind: ['look'] }]);
});

/** A gateway that has a cached answer of every tool. */
const hasAnswers: TurnsOptions['change'] = ({ local }) => ({
  local: (state, effect) => {
    if (effect.kind !== 'clear_step') return local(state, effect);
    const { cached: _, ...plain } = effect;
    return local(state, plain);
  },
});

test('keeps a call that is to be answered from the cache a cached call', () => {
  const run = out({ ...READ, retries_max: 0, degraded: { cached_for_ms: 60_000 } }, hasAnswers);
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', cached: true }]);
  run.say(RELOADED);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', cached: true }]);
});
