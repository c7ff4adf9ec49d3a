/** Defects that the simulator found in endings: runs that did not end, or ended with the wrong code. */
import { expect, test } from 'vitest';
import type { Planner } from '../../../src/ports/model/planner.ts';
import { answered, eventsOf, proposed, type TurnsOptions, turns } from '../../runs/endings/turns.ts';
import { CAPS, planOf, type RigOptions, rig } from '../../runs/rig.ts';

const ONE_STEP = planOf([{ id: 'a', tool: 'work' }]);
const WORK: TurnsOptions = { tools: { work: { produces: ['done'] } } };
const MINUTE = 60_000;
const RELOADED = { type: 'run_reloaded', writer: 'process_2' } as const;

test('a run that times out and then loses its process ends when the next process takes over', () => {
  const run = turns(WORK);
  run.say({ type: 'time_passed' }, 11 * MINUTE);
  expect(run.outbox).toEqual([{ kind: 'abort_flight', flight: 'plan' }]);
  expect(run.state.ending.terminal).toBeNull();
  run.say(RELOADED);
  expect(run.state.ending.terminal).toMatchObject({ code: 'TIMEOUT', suppressed: [] });
});

test('aborts an effect in flight once and waits a limited time for it', () => {
  const run = turns(WORK);
  run.say({ type: 'time_passed' }, 11 * MINUTE);
  run.say({ type: 'time_passed' });
  expect(run.outbox).toEqual([]);
  expect(run.state.ending.stops).toHaveLength(1);
  run.say({ type: 'time_passed' }, 12 * MINUTE);
  expect(run.state.ending.terminal?.code).toBe('TIMEOUT');
});

test.each([
  ['none', ['REVIEW_REQUIRED'], 1],
  ['natural', [], 0],
] as const)('a call in flight of idempotency %s when its run is cancelled', (kind, suppressed, doubts) => {
  const work = { produces: ['done'], side_effect: true, approval_mode: 'local_write', idempotency: { kind } } as const;
  const run = turns({ tools: { work } });
  run.say(proposed(ONE_STEP));
  run.say({ type: 'run_cancelled', by: 'ops', reason: 'enough' });
  run.say(RELOADED);
  expect(run.state.ending.terminal).toMatchObject({ code: 'USER_CANCEL', suppressed });
  expect(Object.keys(run.state.work.doubts)).toHaveLength(doubts);
});

test('an answer that the kernel rejects ends the run', async () => {
  const spent = { input_tokens: 0, output_tokens: 0, microusd: Number.MAX_SAFE_INTEGER };
  const planner: Planner = {
    propose: async () => ({ proposal: ONE_STEP, author: 'model', spent, contextTokens: 0 }),
  };
  // A planner that reports an absurd cost replaces the rig's planner.
  const bench = rig({
    tools: { work: { produces: ['done'] } },
    options: { planner } as RigOptions['options'] & object,
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
});

test('an ended session has no pause reason', () => {
  const run = turns(WORK);
  run.say(proposed(ONE_STEP));
  run.say({ type: 'run_paused', cause: 'operator', by: 'ops' });
  run.say({ type: 'run_cancelled', by: 'ops', reason: 'enough' });
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { cause: 'operator' } });
  run.say(answered(run, { outcome: 'cancelled', raw: null }));
  expect(run.state.session).toMatchObject({ status: 'cancelled', pause: null });
});

test('judges the run when an optional last step fails', () => {
  const tools = { work: { produces: ['done'] }, extra: { retries_max: 0 } };
  const run = turns({ tools });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'work' },
        { id: 'b', tool: 'extra', optional: true },
      ]),
    ),
  );
  run.say(answered(run));
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'PARTIAL_SUCCESS' });
  expect(eventsOf(run.events, 'run_judged')).toHaveLength(1);
});

test("a provider that overruns its role's share ends the run", () => {
  const caps = { ...CAPS, roles: { executor: { input_tokens_max: 100 } } };
  const run = turns({
    tools: { work: { produces: ['done'], cost: { input_tokens: 50, output_tokens: 0, microusd: 0 } } },
    caps,
  });
  run.say(proposed(ONE_STEP));
  run.say(answered(run, { spent: { input_tokens: 101, output_tokens: 0, microusd: 0 } }));
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' });
});
