/** Tests that a person confirms a second identical change within a short window, because it is probably a mistake. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { handoverPacket, planOf, type RigTool, rig } from '../rig.ts';

const PAY: RigTool = { side_effect: true, approval_mode: 'local_write', idempotency: { kind: 'none' } };
const TWICE = planOf([
  { id: 'a', tool: 'pay', params: { amount: 5 } },
  { id: 'b', tool: 'pay', params: { amount: 5 }, depends_on: ['a'] },
  { id: 'c', tool: 'end', depends_on: ['b'] },
]);
const tools = { pay: PAY, end: { produces: ['done'] } };

verifies(
  'pathology:duplicate-actions:same-signature-in-window',
  'blocks a second identical change within the window; once approved, sends it after the window under its own key',
  async () => {
    const bench = rig({ tools, plans: [TWICE] });
    const run = await bench.invoke();
    expect(run).toMatchObject({
      status: 'paused',
      suspended: { reason: 'duplicate_action', detail: { step_id: 'b' } },
    });
    expect(bench.dispatches).toHaveLength(1);
    const go = {
      type: 'escalation_decided',
      decision: 'continue',
      by: 'ben',
      reason: 'two invoices',
      ...handoverPacket(run),
    };
    expect(await bench.settle(bench.runtime.sessions.send(run.runId, go))).toMatchObject({ terminalCode: 'SUCCESS' });
    const [first, second] = bench.dispatches.filter(({ tool }) => tool === 'pay');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(second?.key).not.toBe(first?.key);
    await bench.runtime.records.replay(run.runId);
  },
);

test('does not block changes that are idempotent or differ in their arguments', async () => {
  const natural = rig({ tools: { ...tools, pay: { ...PAY, idempotency: { kind: 'natural' } } }, plans: [TWICE] });
  expect(await natural.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const [a, , c] = TWICE.steps;
  const other = planOf([a, { id: 'b', tool: 'pay', params: { amount: 6 } }, c].filter((step) => step !== undefined));
  expect(await rig({ tools, plans: [other] }).invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('repeats an approved change under a new key although an earlier plan of the same step made it already', async () => {
  const paying = (plan_id: string, amount: number) =>
    planOf([{ id: 'a', tool: 'pay', params: { amount } }], { plan_id });
  const plans = [
    paying('plan_1', 5),
    paying('plan_2', 6),
    planOf(
      [
        { id: 'a', tool: 'pay', params: { amount: 5 } },
        { id: 'c', tool: 'end', depends_on: ['a'] },
      ],
      {
        plan_id: 'plan_3',
      },
    ),
  ];
  const bench = rig({
    tools: { ...tools, pay: { ...PAY, idempotency: { kind: 'key', retention_ms: 86_400_000 } } },
    plans,
  });
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', suspended: { reason: 'duplicate_action' } });
  const go = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'both', ...handoverPacket(run) };
  expect(await bench.settle(bench.runtime.sessions.send(run.runId, go))).toMatchObject({ terminalCode: 'SUCCESS' });
  const paid = bench.dispatches.filter(({ tool }) => tool === 'pay');
  expect(paid.map(({ args }) => args)).toEqual([{ amount: 5 }, { amount: 6 }, { amount: 5 }]);
  expect(new Set(paid.map(({ key }) => key)).size).toBe(3);
  await bench.runtime.records.replay(run.runId);
});
