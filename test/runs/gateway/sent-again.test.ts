/** A call whose process died is sent again as the same call: not before the first is over, and to the same places. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/event.ts';
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

/** A run whose only step is with its tool. */
function out(tool: RigTool, change: NonNullable<TurnsOptions['change']> = () => ({})): Turns {
  const run = turns({ tools: { work: tool }, options: { limits: { dispatchWindowMs: WINDOW_MS } }, change });
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  return run;
}

test('what changes something waits until the first can no longer be on its way', () => {
  const run = out(PAY);
  const [first] = run.outbox;
  expect(first).toMatchObject({ kind: 'call_tool', dispatch_before: START_MS + WINDOW_MS, timeout_ms: TIMEOUT_MS });
  run.say(RELOADED, 100);
  const not_before = START_MS + WINDOW_MS + TIMEOUT_MS;
  expect(run.outbox).toEqual([{ ...first, not_before, dispatch_before: not_before + WINDOW_MS }]);
});

test('who takes over next waits for the dispatch that was asked for last, and not for the one before it', () => {
  const run = out(PAY);
  run.say(RELOADED, 100);
  run.say(RELOADED, 200);
  const not_before = START_MS + 2 * (WINDOW_MS + TIMEOUT_MS);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', not_before, dispatch_before: not_before + WINDOW_MS }]);
});

test('what only reads is asked again at once', () => {
  const run = out(READ);
  run.say(RELOADED, 100);
  const dispatch_before = START_MS + 100 + WINDOW_MS;
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', not_before: 0, dispatch_before }]);
});

test('what is passed on is passed on to the same tools, which may be stopped or full by now', () => {
  const run = turns({ tools: { run: { unwrap: { tool: '/tool', args: '/args' } }, look: READ } });
  run.say(proposed(planOf([{ id: 'a', tool: 'run', params: { tool: 'look', args: {} } }])));
  const [first] = run.outbox;
  expect(first).toMatchObject({ kind: 'call_tool', behind: ['look'] });
  run.say(RELOADED);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', behind: ['look'] }]);
});

/** A gateway that has an answer of every tool. */
const hasAnswers: TurnsOptions['change'] = ({ local }) => ({
  local: (state, effect) => {
    if (effect.kind !== 'clear_step') return local(state, effect);
    const { cached: _, ...plain } = effect;
    return local(state, plain);
  },
});

test('what was to be answered from what is kept is not put to the tool that is not there', () => {
  const run = out({ ...READ, retries_max: 0, degraded: { cached_for_ms: 60_000 } }, hasAnswers);
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', cached: true }]);
  run.say(RELOADED);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', cached: true }]);
});
