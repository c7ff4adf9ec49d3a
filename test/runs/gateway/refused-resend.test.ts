/** A tool that knows its keys and refuses a call that is sent again answers for the dispatch that a crash left in doubt. */
import { expect, test } from 'vitest';
import { Fault } from '../../../src/index.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { planOf, type RigOptions } from '../rig.ts';

const KEYED = {
  approval_mode: 'local_write',
  side_effect: true,
  retries_max: 0,
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
} as const;

/** The call that crashed is refused after the restart; then the run reaches its goal without it. */
async function endAfter(error: Error) {
  const plans = [planOf([{ id: 'a', tool: 'pay' }]), planOf([{ id: 'b', tool: 'read' }], { plan_id: 'plan_2' })];
  const options: RigOptions = { tools: { pay: KEYED, read: { produces: ['done'] } }, plans: plans.slice(0, 1) };
  const first = await crashDuringCall('pay', options);
  const execute = (): never => {
    throw error;
  };
  const tools = { ...options.tools, pay: { ...KEYED, execute } };
  const next = restartProcess(first, { tools, plans: plans.slice(1) });
  return await next.settle(next.runtime.resume('run_1'));
}

test('a refusal with nothing_done settles the doubt, so the run succeeds', async () => {
  const outcome = await endAfter(new Fault('nothing_done', 'the balance is too small'));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', doubts: [] });
});

test('any other error leaves the call in doubt, so the run waits for a person', async () => {
  const outcome = await endAfter(new Error('the balance is too small'));
  expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'REVIEW_REQUIRED', reason: 'call_in_doubt' } });
});
