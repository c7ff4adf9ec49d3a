/**
 * A call in doubt that an operator allows opens its gate again, regardless of how many gates the run has opened before:
 * the decision resets that count, as it resets retries and repairs.
 */
import { expect, test } from 'vitest';
import { operator, planOf, type Rig, type RigTool, rig } from '../runs/rig.ts';

const ACTS = { side_effect: true, approval_mode: 'destructive', gates: ['GATE_A'], retries_max: 0 } as const;

type Outcome = Awaited<ReturnType<Rig['invoke']>>;

async function approve({ runtime, settle }: Rig, { pending: [gate] }: Outcome): Promise<Outcome> {
  if (gate === undefined) throw new Error('no gate');
  const { gateId, packetHash } = gate;
  return await settle(runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' }));
}

test('makes the call after a failed gated call, an approval, a doubt and a second approval', async () => {
  let left = 1;
  const pay: RigTool = {
    ...ACTS,
    produces: ['done'],
    idempotency: { kind: 'none' },
    timeout_ms: 100,
    execute: () => {
      left -= 1;
      return left >= 0 ? new Promise(() => undefined) : { paid: true };
    },
  };
  const bench = rig({
    tools: { cancel: { ...ACTS, execute: () => Promise.reject(new Error('not any more')) }, pay },
    plans: [
      planOf([{ id: 'a', tool: 'cancel', requires: ['GATE_A'] }]),
      planOf([{ id: 'b', tool: 'pay', requires: ['GATE_A'] }], { plan_id: 'plan_2' }),
    ],
  });
  const doubted = await approve(bench, await approve(bench, await bench.invoke()));
  expect(doubted).toMatchObject({ status: 'paused', suspended: { reason: 'call_in_doubt' } });
  const asked = await bench.settle(
    bench.runtime.sessions.decideEscalation(doubted.runId, {
      decision: 'continue',
      packetHash: doubted.handoverHash ?? '',
      credential: operator('lead_1'),
      reason: 'it was not made',
    }),
  );
  expect(asked).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_A', stepId: 'b' }] });
  expect(await approve(bench, asked)).toMatchObject({ terminalCode: 'SUCCESS' });
});
