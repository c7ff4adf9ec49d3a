/**
 * Tests how long an approval counts: up to the ttl of its gate, while its key is valid, and not for a repeated call in
 * doubt.
 */
import { describe, expect, test } from 'vitest';
import type { Credential } from '../../../src/ports/approvers.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { type Behaviour, neverAnswers, operator, planOf, type Rig, rig, START_MS } from '../rig.ts';
import { PAY, signer, type Waiting, waitingSigned } from './bench.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const GATES = ['GATE_FINANCE', 'GATE_LEGAL'];

const approve = (
  bench: Rig,
  { gateId, packetHash }: PendingGate,
  credential: Credential,
  gates?: readonly string[],
): ReturnType<Rig['invoke']> => {
  const named = gates === undefined ? {} : { gates };
  return bench.settle(bench.runtime.approve(gateId, { packetHash, credential, reason: 'seen', ...named }));
};

const first = ({ pending }: Awaited<ReturnType<Rig['invoke']>>): PendingGate => {
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return gate;
};

const paid = ({ dispatches }: Rig): number => dispatches.filter(({ tool }) => tool === 'pay').length;

describe('an approval at one of two gates', () => {
  const twoGates = (): Rig =>
    rig({
      tools: { ...PAY.tools, pay: { ...PAY.tools?.['pay'], gates: GATES } },
      plans: [planOf([{ id: 's1', tool: 'pay', requires: GATES, params: { amount: 1 } }])],
      world: { policy: { gates: { GATE_FINANCE: { ttlMs: MINUTE }, GATE_LEGAL: { ttlMs: 20 * HOUR } } } },
    });

  test.each([
    ['before the first approval expires', MINUTE - 1, { terminalCode: 'SUCCESS' }, 1],
    [
      'after the first approval has expired',
      MINUTE,
      { status: 'awaiting_gate', pending: [{ name: 'GATE_FINANCE' }] },
      0,
    ],
  ])('when the second gate is approved %s', async (_, later, outcome, calls) => {
    const bench = twoGates();
    const both = first(await bench.invoke());
    await approve(bench, both, operator('ana'), ['GATE_FINANCE']);
    bench.clock.advanceTo(START_MS + later);
    const after = await approve(bench, both, operator('bob'));
    expect(after).toMatchObject(outcome);
    expect(paid(bench)).toBe(calls);
    await bench.runtime.records.replay(after.runId);
  });

  test('that has expired is requested again, and the call runs after it', async () => {
    const bench = twoGates();
    const both = first(await bench.invoke());
    expect(both.expiresAt).toBe(START_MS + MINUTE);
    const half = first(await approve(bench, both, operator('ana'), ['GATE_FINANCE']));
    expect(half).toMatchObject({ gateId: both.gateId, expiresAt: START_MS + 20 * HOUR });
    bench.clock.advanceTo(START_MS + 10 * HOUR);
    const again = first(await approve(bench, both, operator('bob')));
    expect(again.gateId).not.toBe(both.gateId);
    expect(again.gates).toEqual([{ name: 'GATE_FINANCE', decided_by: null }]);
    expect(await approve(bench, again, operator('ana'))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(paid(bench)).toBe(1);
  });
});

test('an approval whose key was revoked later does not count towards the quorum', async () => {
  const { bench, keys, gate, runId } = await waitingSigned({ roles: ['finance'], quorum: 2 });
  const [ana, bob, cyd] = await Promise.all(['ana', 'bob', 'cyd'].map((name) => signer(keys, name)));
  if (ana === undefined || bob === undefined || cyd === undefined) throw new Error('expected three approvers');
  await approve(bench, gate, ana.sign(gate, 'approve', START_MS));
  await keys.revoke(ana.keyId, { at: START_MS, by: 'security_desk', reason: 'stolen' });
  expect(await approve(bench, gate, bob.sign(gate, 'approve', START_MS))).toMatchObject({ status: 'awaiting_gate' });
  expect(paid(bench)).toBe(0);
  const done = await approve(bench, gate, cyd.sign(gate, 'approve', START_MS));
  expect(done).toMatchObject({
    terminalCode: 'SUCCESS',
    record: { approvals: [{ approver: 'bob' }, { approver: 'cyd' }] },
  });
  await bench.runtime.records.replay(runId);
});

describe('a signature is used once, in any encoding', () => {
  const respelled = (signature: string): readonly string[] => [
    signature,
    `${signature}\n`,
    ` ${signature}`,
    signature.replace(/=+$/, ''),
    signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    signature.replace(/.==$/, (end) => `${{ A: 'B', Q: 'R', g: 'h', w: 'x' }[end[0] ?? ''] ?? ''}==`),
  ];

  test('and a second use leaves the gate unchanged', async () => {
    const waiting: Waiting = await waitingSigned();
    const { bench, gate, runId } = waiting;
    const ana = await signer(waiting.keys, 'ana');
    const credential = ana.sign(gate, 'request_info', START_MS);
    if (credential.kind !== 'signing_key') throw new Error('expected a signing key');
    const ask = (signature: string): Promise<unknown> =>
      bench.runtime.gates.requestInfo(gate.gateId, {
        packetHash: gate.packetHash,
        credential: { ...credential, signature },
        reason: 'seen',
      });
    await ask(credential.signature);
    for (const signature of respelled(credential.signature)) {
      await expect(ask(signature)).rejects.toMatchObject({ code: expect.stringMatching(/replayed|invalid/) });
    }
    expect(await bench.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  });
});

test('a call in doubt that a person allows to be repeated needs a new approval', async () => {
  let calls = 0;
  const execute: Behaviour = (args, context) => {
    calls += 1;
    return calls === 1 ? neverAnswers(args, context) : { ok: true };
  };
  const pay = { ...PAY.tools?.['pay'], idempotency: { kind: 'none' } as const, timeout_ms: 1_000, retries_max: 0 };
  const bench = rig({ ...PAY, tools: { ...PAY.tools, pay: { ...pay, execute } } });
  const waiting = await bench.invoke();
  const doubtful = await approve(bench, first(waiting), operator('ana'));
  expect(doubtful).toMatchObject({ status: 'paused', reason: 'call_in_doubt' });
  const again = await bench.settle(
    bench.runtime.sessions.decideEscalation(waiting.runId, {
      decision: 'continue',
      packetHash: doubtful.handoverHash ?? '',
      credential: operator('ben'),
      reason: 'it never arrived',
    }),
  );
  expect(again).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_FINANCE' }] });
  expect(calls).toBe(1);
  expect(await approve(bench, first(again), operator('ana'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(calls).toBe(2);
  await bench.runtime.records.replay(waiting.runId);
});
