/**
 * A fork does not resend a call of its parent whose result is unknown: only the parent's ledger shows what became of
 * it.
 */
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { neverAnswers, operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';

/** The first payment never answers; the second attempt, under a new plan and the same key, does. */
function shop(): RigOptions {
  let tries = 0;
  const pay = (): Promise<never> | { readonly paid: number } => {
    tries += 1;
    return tries === 1 ? new Promise(() => undefined) : { paid: 42 };
  };
  const plan = (id: string) => planOf([{ id: 'a', tool: 'pay' }], { plan_id: id });
  return {
    tools: {
      pay: {
        approval_mode: 'local_write',
        side_effect: true,
        idempotency: { kind: 'key', retention_ms: 3_600_000 },
        retries_max: 0,
        produces: ['done'],
        execute: pay,
      },
    },
    plans: [plan('plan_1'), plan('plan_2')],
  };
}

/** Forks right before the verdict on the second plan. */
async function forked(bench: Rig, simulate: boolean): Promise<RunOutcome> {
  const { state_checkpoints } = await bench.runtime.records.trace('run_1');
  const at = state_checkpoints.findLast(({ judged }) => judged === 'plan')?.checkpoint_id ?? '';
  const who = simulate ? {} : { credential: operator('ben', ['operator']) };
  return await bench.settle(bench.runtime.records.fork('run_1', { at, simulate, ...who }));
}

async function paid(): Promise<Rig> {
  const bench = rig(shop());
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const keys = bench.dispatches.map(({ key }) => key);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  return bench;
}

test("a real fork escalates instead of resending the call under the parent's key", async () => {
  const bench = await paid();
  expect(await forked(bench, false)).toMatchObject({ suspended: { reason: 'call_in_doubt', detail: { tool: 'pay' } } });
  expect(bench.dispatches).toHaveLength(2);
  expect(await bench.journal.effects('run_2')).toEqual([]);
});

test('a simulated fork continues like its parent and sends nothing', async () => {
  const bench = await paid();
  expect(await forked(bench, true)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(2);
  expect(await bench.journal.effects('run_2')).toMatchObject([{ tool: 'pay', state: 'settled' }]);
});

/**
 * A payment that never answers and may be repeated if an operator allows it; the infrastructure refuses the repetition
 * once.
 */
function shopClosedOnce(): RigOptions {
  const plan = (id: string) => planOf([{ id: 'a', tool: 'pay' }], { plan_id: id });
  let [tries, looks] = [0, 0];
  // The gateway checks when a call is cleared and when it is sent: sending the second payment is refused.
  const permits = () => {
    looks += 1;
    return looks === 4 ? ({ ok: false, reason: 'closed' } as const) : ({ ok: true } as const);
  };
  return {
    tools: {
      pay: {
        approval_mode: 'local_write',
        side_effect: true,
        idempotency: { kind: 'none' },
        retries_max: 0,
        produces: ['done'],
        execute: (args, context) => {
          tries += 1;
          return tries === 1 ? neverAnswers(args, context) : { paid: 42 };
        },
      },
    },
    plans: [plan('plan_1'), plan('plan_2')],
    world: { infrastructure: { permits } },
  };
}

test("an operator's permission to repeat a call of the parent does not apply to a fork", async () => {
  const bench = rig(shopClosedOnce());
  const { handoverHash, suspended } = await bench.invoke();
  expect(suspended).toMatchObject({ reason: 'call_in_doubt' });
  const answer = { credential: operator('ana'), reason: 'once more', packetHash: handoverHash ?? '' };
  const ended = await bench.settle(
    bench.runtime.sessions.decideEscalation('run_1', { decision: 'continue', ...answer }),
  );
  expect(ended).toMatchObject({ terminalCode: 'SUCCESS', plan: { planId: 'plan_2' } });
  expect(bench.dispatches).toHaveLength(2);
  expect(await forked(bench, false)).toMatchObject({ suspended: { reason: 'call_in_doubt', detail: { tool: 'pay' } } });
  expect(bench.dispatches).toHaveLength(2);
});
