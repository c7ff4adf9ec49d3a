/** A request that states a call exactly approves it: only that call, and no value from another source. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { eventsOf } from '../endings/turns.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { MODE, mailbox, options, TOOLS } from './bench.ts';

const GOAL = { statement: 'Send "See you" to bob@example.org at 2026-06-01 10:00 for 30 minutes' };
const PARAMS = { to: ['bob@example.org'], text: 'See you', until: '2026-06-01 10:30' };
const SEND: PlanStep = { id: 's', tool: 'send', requires: MODE, params: PARAMS };

test('a call stated word for word runs at once, and the record names the requester', async () => {
  const bench = mailbox([planOf([SEND])]);
  const { runId, terminalCode, record } = await bench.invoke({ goal: GOAL });
  expect(terminalCode).toBe('SUCCESS');
  const [cleared] = eventsOf(await bench.events(runId), 'step_cleared');
  const request = address(sha256, { statement: GOAL.statement, inputs: {} });
  expect(cleared?.gates).toEqual([]);
  expect(cleared?.granted).toEqual({
    by: 'agt_worker',
    request,
    leaves: { '/to/0': 'statement', '/text': 'statement', '/until': 'statement' },
  });
  expect(record?.approvals).toMatchObject([
    {
      gate: 'GATE_MODE_APPROVAL',
      step_id: 's',
      approver: 'agt_worker',
      decision: 'approve',
      packet_hash: request,
      basis: 'request',
    },
  ]);
});

test('values from trusted tools and inputs are accepted too', async () => {
  const params = { to: { $from: 'c', path: '/address' }, amount: 12 };
  const plan = planOf([
    { id: 'c', tool: 'contacts' },
    { ...SEND, params, depends_on: ['c'] },
  ]);
  const bench = mailbox([plan], { observations: { trusted_inputs: { amount: 'amount' } } });
  const { runId, terminalCode } = await bench.invoke({
    goal: { statement: 'Send the amount' },
    inputs: { amount: 12 },
  });
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'step_cleared').at(-1)?.granted?.leaves).toEqual({
    '/to': 'contacts',
    '/amount': 'inputs/amount',
  });
});

describe('approval is still required', () => {
  const asked = async (step: PlanStep, ...more: readonly PlanStep[]): Promise<readonly string[]> => {
    const bench = mailbox([planOf([...more, step])]);
    const { pending } = await bench.invoke({ goal: GOAL });
    expect(bench.dispatches.every(({ tool }) => tool !== step.tool)).toBe(true);
    return pending.map(({ name }) => name);
  };

  test('if one value was not stated', async () => {
    expect(await asked({ ...SEND, params: { ...PARAMS, bcc: 'eve@example.org' } })).toEqual(MODE);
    expect(await asked({ ...SEND, params: { ...PARAMS, to: [] } })).toEqual(MODE);
  });
  test('if a value comes from an untrusted source', async () => {
    const read = { id: 'read', tool: 'mail' };
    expect(
      await asked({ ...SEND, params: { to: { $from: 'read', path: '/from' } }, depends_on: ['read'] }, read),
    ).toEqual(MODE);
  });
  test('at a gate with its own name', async () => {
    expect(await asked({ ...SEND, requires: [...MODE, 'GATE_OWNER'] })).toEqual(['GATE_OWNER']);
    expect(await asked({ ...SEND, requires: ['GATE_OWNER'] })).toEqual(['GATE_OWNER']);
  });
  test('if a key was not stated', async () => {
    expect(await asked({ ...SEND, params: { ...PARAMS, shares: { 'eve@example.org': 30 } } })).toEqual(MODE);
    expect(await asked({ ...SEND, params: { ...PARAMS, undeclared: 'See you' } })).toEqual(MODE);
  });
  test('for a destructive call', async () => {
    expect(await asked({ ...SEND, tool: 'pay' })).toEqual(MODE);
    expect(await asked({ ...SEND, approval_mode: 'destructive' })).toEqual(MODE);
  });
  test('if the boundary grants nothing by request', async () => {
    const bench = mailbox([planOf([SEND])], { tools: { request_grants: 'none' } });
    expect((await bench.invoke({ goal: GOAL })).pending.map(({ name }) => name)).toEqual(MODE);
  });
  test('if the boundary does not mention request grants', async () => {
    const bench = rig({ tools: TOOLS, plans: [planOf([SEND])] });
    expect((await bench.invoke({ goal: GOAL })).pending.map(({ name }) => name)).toEqual(MODE);
  });
});

test('accepts a key that the request states', async () => {
  const bench = mailbox([planOf([{ ...SEND, params: { ...PARAMS, shares: { 'bob@example.org': 30 } } }])]);
  expect((await bench.invoke({ goal: GOAL })).terminalCode).toBe('SUCCESS');
});

test('a request grants one call', async () => {
  const again = (id: string, ...depends_on: readonly string[]): PlanStep => ({ ...SEND, id, depends_on });
  const bench = mailbox([planOf([again('a'), again('b', 'a'), again('c', 'b')])]);
  const { pending, runId } = await bench.invoke({ goal: GOAL });
  expect(pending.map(({ name }) => name)).toEqual(MODE);
  expect(bench.dispatches).toHaveLength(1);
  const granted = eventsOf(await bench.events(runId), 'step_cleared').map((event) => event.granted !== undefined);
  expect(granted).toEqual([true, false]);
});

test('a granted call that failed may be retried by its step, but not by another plan', async () => {
  let calls = 0;
  const execute = () => {
    calls += 1;
    if (calls < 2) throw new Error('out of order');
    return { ok: true };
  };
  const send = { ...TOOLS['send'], idempotency: { kind: 'natural' } as const, execute };
  const once = mailbox([planOf([SEND])], {}, { tools: { send: { ...send, retries_max: 1 } } });
  expect((await once.invoke({ goal: GOAL })).terminalCode).toBe('SUCCESS');
  calls = 0;
  const plans = [planOf([SEND]), planOf([{ ...SEND, id: 's2' }], { plan_id: 'plan_2' })];
  const twice = mailbox(plans, {}, { tools: { send: { ...send, retries_max: 0 } } });
  expect((await twice.invoke({ goal: GOAL })).pending.map(({ name }) => name)).toEqual(MODE);
  expect(calls).toBe(1);
});

describe('rejects a journal that claims', () => {
  const at = async (plans: Parameters<typeof mailbox>[0], goal: typeof GOAL | undefined) => {
    const opts = options(plans);
    const bench = mailbox(plans);
    const { runId } = await bench.invoke(goal === undefined ? {} : { goal });
    const events = await bench.events(runId);
    const env = kernelOf(opts);
    const cleared = eventsOf(events, 'step_cleared').at(-1);
    if (cleared === undefined) throw new Error('no call was cleared');
    return { env, cleared, state: before(env, events, 'step_cleared') };
  };

  test('a grant for values that were never stated', async () => {
    const { env, cleared, state } = await at([planOf([SEND])], undefined);
    const granted = { by: 'agt_worker', request: address(sha256, {}), leaves: {} };
    expect(offer(env, state, { ...cleared, gates: [], granted })[2]?.message).toContain('does not give');
  });
  test('a clearance without gate or grant', async () => {
    const { env, cleared, state } = await at([planOf([SEND])], GOAL);
    const { granted: _, ...bare } = cleared;
    expect(offer(env, state, bare)[2]?.message).toContain('GATE_MODE_APPROVAL');
  });
});
