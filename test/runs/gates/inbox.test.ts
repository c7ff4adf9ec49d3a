/**
 * Tests the list of open gates: similar packets are grouped, changes are shown, and a saturated list defers low risk.
 */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { GateFilter, Journal } from '../../../src/ports/journal/journal.ts';
import { diffPackets } from '../../../src/runtime/gates/inbox.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const pay = (amount: number): JsonObject =>
  planOf([
    { id: 's1', tool: 'pay', params: { amount, to: 'acme' }, requires: ['GATE_FINANCE'] },
  ]) as unknown as JsonObject;
const note = (text: string): JsonObject =>
  planOf([{ id: 's1', tool: 'note', params: { text }, requires: ['GATE_NOTES'] }]) as unknown as JsonObject;

const TOOLS: RigOptions['tools'] = {
  pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_FINANCE'], produces: ['done'] },
  note: { approval_mode: 'network', side_effect: true, gates: ['GATE_NOTES'], produces: ['done'] },
};

async function approveAll(bench: Rig, runId: string): Promise<void> {
  for (const { gateId, packetHash } of (await bench.runtime.sessions.get(runId)).pending) {
    await bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' });
  }
}

test('groups similar packets, decides each separately, and shows the changes since the last approval', async () => {
  const bench = rig({ tools: TOOLS, plans: [pay(10), pay(12), pay(900), note('hi')] });
  const first = await bench.invoke();
  await approveAll(bench, first.runId);
  const [second, third] = [await bench.invoke(), await bench.invoke()];
  await bench.invoke();
  const { groups, saturated } = await bench.runtime.gates.list();
  expect(saturated).toBe(false);
  expect(groups.map(({ name, action, items }) => [name, action, items.length])).toEqual([
    ['GATE_FINANCE', 'pay', 2],
    ['GATE_NOTES', 'note', 1],
  ]);
  expect(groups[0]?.items.map(({ gate, changed }) => [gate.session_id, changed])).toEqual([
    [second.runId, [{ pointer: '/parameters/amount', before: 10, now: 12 }]],
    [third.runId, [{ pointer: '/parameters/amount', before: 10, now: 900 }]],
  ]);
  expect(groups[1]?.items[0]?.changed).toBeNull();
  await approveAll(bench, second.runId);
  expect((await bench.runtime.gates.list({ tenant: 'tenant_a' })).groups[0]?.items).toHaveLength(1);
  expect((await bench.runtime.gates.list({ tenant: 'tenant_b' })).groups).toEqual([]);
});

test('shows another requester as a change', () => {
  const packet = { kind: 'action', action: 'pay', run_id: 'run_1', requested_by: 'agt_a' };
  expect(diffPackets(packet, { ...packet, run_id: 'run_2', requested_by: 'agt_b' })).toEqual([
    { pointer: '/requested_by', before: 'agt_a', now: 'agt_b' },
  ]);
});

test('reads only the last approval of the same gate and action', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const asked: GateFilter[] = [];
  const watched: Journal = {
    ...journal,
    gates: (filter) => {
      asked.push(filter);
      return journal.gates(filter);
    },
  };
  const bench = rig({ tools: TOOLS, plans: [pay(1), note('a'), note('b')], world: { journal: watched } });
  for (const _ of [1, 2]) await approveAll(bench, (await bench.invoke()).runId);
  await bench.invoke();
  asked.length = 0;
  const { groups } = await bench.runtime.gates.list();
  expect(groups[0]?.items[0]?.changed).toEqual([{ pointer: '/parameters/text', before: 'a', now: 'b' }]);
  const approved = asked.filter(({ statuses }) => statuses?.includes('approved'));
  expect(approved).toEqual([
    expect.objectContaining({ name: 'GATE_NOTES', action: 'note', tenant: 'tenant_a', limit: 1 }),
  ]);
});

verifies(
  'pathology:queue-saturation:age-and-pending',
  'defers low-risk gates when too many or too old ones wait, and closes expired gates without approval',
  async () => {
    const bench = rig({ tools: TOOLS, plans: [pay(1), note('a'), note('b')] });
    const runs = [await bench.invoke(), await bench.invoke(), await bench.invoke()];
    const ample = { waitingMax: 10, ageMaxMs: 60_000 };
    expect(await bench.runtime.gates.list({ capacity: ample })).toMatchObject({ saturated: false, deferred: [] });
    const crowded = await bench.runtime.gates.list({ capacity: { ...ample, waitingMax: 2 } });
    expect(crowded.saturated).toBe(true);
    expect(crowded.groups.map(({ name }) => name)).toEqual(['GATE_FINANCE']);
    expect(crowded.deferred.map(({ gate }) => gate.name)).toEqual(['GATE_NOTES', 'GATE_NOTES']);
    bench.clock.advanceTo(START_MS + 60_001);
    expect(await bench.runtime.gates.list({ capacity: ample })).toMatchObject({ saturated: true });
    bench.clock.advanceTo(START_MS + 3_600_000);
    expect(await bench.runtime.gates.list()).toMatchObject({ groups: [], deferred: [] });
    for (const { runId } of runs) {
      expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason: 'gate_expired' });
    }
    expect(bench.dispatches).toEqual([]);
  },
);

/** A boundary that requires an approval for the tool, independent of its declaration. */
const asking =
  (tool: string): NonNullable<RigOptions['agent']> =>
  (agent) => ({
    ...agent,
    boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, needs_approval: [tool] } },
  });

test('dryRun describes a plan without running it', async () => {
  const bench = rig({ tools: TOOLS });
  expect(await bench.runtime.agents.dryRun(pay(5))).toMatchObject({
    verdict: 'ok',
    calls: [{ action: 'pay', parameters: { amount: 5, to: 'acme' }, gates: ['GATE_FINANCE'] }],
    side_effects: 1,
    approvals: 1,
  });
  const bounded = rig({ tools: TOOLS, agent: asking('pay') });
  expect(await bounded.runtime.agents.dryRun(pay(5))).toMatchObject({
    calls: [{ gates: ['GATE_FINANCE', 'GATE_BOUNDARY_APPROVAL'] }],
    approvals: 2,
  });
  expect(await bench.runtime.agents.dryRun({ steps: 'all' })).toMatchObject({ verdict: 'replan', calls: [] });
  expect(bench.dispatches).toEqual([]);
});

test('compares with the last approval of the same action, however many others the gate has seen since', async () => {
  const gated = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_DESK'], produces: ['done'] } as const;
  const of = (tool: string, n: number): JsonObject =>
    planOf([{ id: 's1', tool, params: { n }, requires: ['GATE_DESK'] }]) as unknown as JsonObject;
  const others = Array.from({ length: 55 }, (_, n) => of('post', n));
  const bench = rig({ tools: { pay: gated, post: gated }, plans: [of('pay', 1), ...others, of('pay', 2)] });
  for (let run = 0; run < 56; run += 1) await approveAll(bench, (await bench.invoke()).runId);
  await bench.invoke();
  const { groups } = await bench.runtime.gates.list();
  expect(groups).toMatchObject([{ name: 'GATE_DESK', action: 'pay', items: [{ gate: { action: 'pay' } }] }]);
  expect(groups[0]?.items[0]?.changed).toEqual([{ pointer: '/parameters/n', before: 1, now: 2 }]);
});
