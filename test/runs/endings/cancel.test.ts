/** Tests that a cancel stops the run in any state and accounts for work in flight. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { Planner } from '../../../src/ports/model/planner.ts';
import { plainReviewer } from '../../../src/roles/model-reviewer.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, type Behaviour, countingIds, planOf, REQUEST, rig, START_MS, toolSpec } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'terminate:user-cancel:from-any-state';
const CANCEL = { type: 'run_cancelled', by: 'user_1', reason: 'enough' };

function expectSealed(events: readonly RunEvent[]): void {
  expect(eventsOf(events, 'run_terminated')).toEqual([events.at(-1)]);
  expect(events.at(-1)).toMatchObject({ code: 'USER_CANCEL', status: 'cancelled', detail: { by: 'user_1' } });
}

verifies(ID, 'during a tool call: aborts it and records its outcome', async () => {
  let calledBack = false;
  const hang: Behaviour = (_args, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        calledBack = true;
        reject(new Error('stopped'));
      });
      void bench.runtime.sessions.send('run_1', CANCEL);
    });
  const bench = rig({
    tools: { hang: { execute: hang, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'hang' }])],
  });
  expect(await bench.invoke()).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(calledBack).toBe(true);
  const events = await bench.events('run_1');
  expect(eventsOf(events, 'step_observed')).toHaveLength(1);
  expectSealed(events);
  expect(bench.clock.next()).toBeNull();
});

verifies(ID, 'during planning: does not wait for a planner that ignores the abort', async () => {
  const clock = simulatedClock(START_MS);
  const planner: Planner = {
    propose: () => {
      void runtime.sessions.send('run_1', CANCEL);
      return new Promise<never>(() => undefined);
    },
  };
  const tools = [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }];
  const world = { clock, timer: clock, ids: countingIds() };
  const runtime = ambit({ agent: agentFor(['finish']), tools, planner, world });
  expect(await runtime.invoke(REQUEST)).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  const events = (await runtime.records.frames('run_1')).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  expect(eventsOf(events, 'plan_failed')).toMatchObject([{ message: 'the planner was called back' }]);
  expectSealed(events);
  expect(clock.next()).toBeNull();
});

verifies(ID, 'at an open gate and during an escalation', async () => {
  for (const status of ['awaiting_gate', 'paused'] as const) {
    const bench = rig({
      tools: {
        pay: { approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] },
        fail: {
          retries_max: 0,
          execute: () => {
            throw new Error('no');
          },
        },
      },
      plans: Array.from({ length: 3 }, (_, n) =>
        planOf([
          status === 'paused' ? { id: 'a', tool: 'fail', params: { n } } : { id: 'a', tool: 'pay', requires: ['GATE'] },
        ]),
      ),
    });
    expect((await bench.invoke()).status).toBe(status);
    const ended = await bench.settle(bench.runtime.sessions.send('run_1', CANCEL));
    expect(ended).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL', pending: [] });
    expectSealed(await bench.events('run_1'));
  }
});

verifies(ID, 'during a compression that never returns', async () => {
  const clock = simulatedClock(START_MS);
  const plans = [1, 2].map((n) => planOf([{ id: 'a', tool: 'fail', params: { n } }], { plan_id: `plan_${n}` }));
  const reviewer = {
    ...plainReviewer,
    compress: () => {
      void runtime.sessions.send('run_1', CANCEL);
      return new Promise<never>(() => undefined);
    },
  };
  const fail = (): never => {
    throw new Error('no');
  };
  const runtime = ambit({
    agent: agentFor(['fail']),
    tools: [{ spec: toolSpec('fail', { retries_max: 0, produces: ['done'] }), execute: fail }],
    planner: scriptedPlanner(plans, { contextTokens: 90_000 }),
    world: { clock, timer: clock, ids: countingIds(), reviewer },
  });
  expect(await runtime.invoke(REQUEST)).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expectSealed((await runtime.records.frames('run_1')).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]));
  expect(clock.next()).toBeNull();
});
