/** Tests that a call that is sent again after a crash is charged, so that crashes cannot exceed a cap. */
import { expect, test } from 'vitest';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions } from '../rig.ts';

const KEYED = {
  approval_mode: 'local_write',
  side_effect: true,
  produces: ['done'],
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
} as const;

const paying = (toolCallsMax: number): RigOptions => ({
  tools: { pay: KEYED },
  plans: [planOf([{ id: 'a', tool: 'pay' }])],
  caps: { ...CAPS, tool_calls_max: toolCallsMax, side_effects_max: 1 },
});

/** Lets the time of a new process pass until it sends the call or waits for people. It then dies without an answer. */
async function crashAgain(before: Rig, options: RigOptions): Promise<Rig> {
  const pay = { ...KEYED, execute: () => new Promise<never>(() => undefined) };
  const next = restartProcess(before, { ...options, tools: { pay }, plans: [] });
  let idle = false;
  void next.runtime.resume('run_1').then(() => {
    idle = true;
  });
  while (!idle && next.dispatches.length === 0) {
    for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    const at = next.clock.next();
    if (!idle && next.dispatches.length === 0 && at !== null) next.clock.advanceTo(at);
  }
  return next;
}

test('a call sent again after a crash counts as one more tool call, and not as another side effect or step', async () => {
  const options = paying(2);
  const first = await crashDuringCall('pay', options);
  const second = restartProcess(first, { ...options, plans: [] });
  expect((await second.settle(second.runtime.resume('run_1'))).terminalCode).toBe('SUCCESS');
  const { state } = await second.runtime.records.replay('run_1');
  expect(state.budget?.used).toMatchObject({ tool_calls: 2, side_effects: 1, steps: 1 });
  expect(state.budget?.reserved).toMatchObject({ tool_calls: 0, side_effects: 0, steps: 0 });
});

test('crashes during every dispatch do not exceed the cap on tool calls', async () => {
  const options = paying(3);
  let life = await crashDuringCall('pay', options);
  const keys = life.dispatches.map(({ key }) => key);
  for (let crash = 0; crash < 5; crash += 1) {
    life = await crashAgain(life, options);
    keys.push(...life.dispatches.map(({ key }) => key));
  }
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test('a run whose cap is used up waits for a larger budget, and then sends the call under the same key', async () => {
  const options = paying(1);
  const first = await crashDuringCall('pay', options);
  const second = restartProcess(first, { ...options, plans: [] });
  const held = await second.settle(second.runtime.resume('run_1'));
  expect(held).toMatchObject({ status: 'paused', suspended: { reason: 'budget_exhausted' } });
  expect(second.dispatches).toEqual([]);
  const done = await second.settle(
    second.runtime.sessions.extendBudget('run_1', {
      delta: { tool_calls: 2 },
      packetHash: held.handoverHash ?? '',
      credential: operator('lead_1'),
      reason: 'the process died',
    }),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  expect(second.dispatches.map(({ key }) => key)).toEqual(first.dispatches.map(({ key }) => key));
});
