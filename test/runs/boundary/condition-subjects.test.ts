/** An answer rules a condition out only for the subject of the lookup: the holder of one account says nothing about another. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, type BoundTool, type RunOutcome, templatePlanner, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';

const USER = { name: 'ada', tenant: 'shop', roles: ['clerk'] };
const OWNERS: Readonly<Record<string, string>> = { 'acc-1': 'bob', 'acc-2': 'ada' };
const ORDERS: Readonly<Record<string, string>> = { o1: 'acc-1', o2: 'acc-2' };

const called: string[] = [];

const order = tool({
  name: 'order',
  description: 'Looks an order up',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ account: z.string() }),
  execute: ({ order_id }) => ({ account: ORDERS[order_id] ?? 'none' }),
  risk: { trusted: true },
});

type About = 'every_call' | Readonly<Record<string, string>>;

/** Looks the holder of an account up; its argument has another name than that of `refund`. */
const holder = (about?: About): BoundTool =>
  tool({
    name: 'holder',
    description: 'Looks the holder of an account up',
    approvalMode: 'read_only',
    inputSchema: z.object({ account: z.string() }),
    outputSchema: z.object({ holder: z.string(), newest_order: z.string() }),
    execute: ({ account }) => ({
      holder: OWNERS[account] ?? 'none',
      newest_order: Object.keys(ORDERS).find((id) => ORDERS[id] === account) ?? 'none',
    }),
    conditions: { account_holder: '/holder' },
    ...(about === undefined ? {} : { about }),
  });

const refund = tool({
  name: 'refund',
  description: 'Refunds an order',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ done: z.boolean() }),
  execute: () => {
    called.push('refund');
    return { done: true };
  },
  rules: { action: 'refund' },
});

const REQUIRES = { requires: ['GATE_MODE_APPROVAL'] } as const;
const holderOf = (account: unknown): PlanStep => ({ id: 'h', tool: 'holder', params: { account: account as string } });
const refundOf = (order_id: unknown, ...depends_on: readonly string[]): PlanStep => ({
  id: 'r',
  tool: 'refund',
  params: { order_id: order_id as string },
  depends_on,
  ...REQUIRES,
});
const orderOf = (order_id: string): PlanStep => ({ id: 'o', tool: 'order', params: { order_id } });

async function refunding(
  steps: readonly PlanStep[],
  about?: About,
): Promise<{ readonly outcome: RunOutcome; readonly denials: readonly string[] }> {
  called.length = 0;
  const plan = { plan_id: 'p1', intent: 'work', steps, decision_checkpoints: [] };
  const runtime = ambit({
    agent: agent({
      name: 'worker',
      planner: templatePlanner({ work: plan }),
      tools: [order, holder(about), refund],
      boundary: 'customer_support',
      budget: 'standard',
      settings: { roles: { clerk: 'destructive' } },
    }),
  });
  const outcome = await runtime.start({ message: 'Refund the order', user: USER }).settled;
  const events = (await runtime.records.frames(outcome.runId)).flatMap(
    (frame) => JSON.parse(frame.events) as RunEvent[],
  );
  await runtime.records.replay(outcome.runId);
  await runtime.close();
  expect(called).toEqual([]);
  const denials = events.flatMap((event) => {
    if (event.type === 'plan_verified') return event.problems.map(({ code, message }) => `${code}: ${message}`);
    return event.type === 'step_refused' ? [`${event.code}: ${event.message}`] : [];
  });
  return { outcome, denials };
}

const BOUND_ACCOUNT = { $from: 'o', path: '/account' };

describe('a refund is denied', () => {
  test('if the holder of another account was looked up and nothing connects the calls', async () => {
    const { outcome, denials } = await refunding([holderOf('acc-2'), refundOf('o1', 'h')]);
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(denials[0]).toContain('condition_unanswered: step r: customer_support denies refund by refund');
    expect(denials[0]).toContain("declare about: { order_id: '/…' } on holder");
  });

  test('if the account comes from another order', async () => {
    const steps = [orderOf('o2'), { ...holderOf(BOUND_ACCOUNT), depends_on: ['o'] }, refundOf('o1', 'h')];
    const { outcome, denials } = await refunding(steps);
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(denials.join()).toContain('nothing shows that holder answered about the subject of this call');
  });

  test('if the declared field names another order', async () => {
    const { outcome } = await refunding([holderOf('acc-2'), refundOf('o1', 'h')], { order_id: '/newest_order' });
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
  });

  test('if the account of the order belongs to another person', async () => {
    const steps = [orderOf('o1'), { ...holderOf(BOUND_ACCOUNT), depends_on: ['o'] }, refundOf('o1', 'h')];
    expect((await refunding(steps)).outcome).toMatchObject({ reason: 'condition_not_met' });
  });
});

describe('a refund waits for a person', () => {
  const waiting = { status: 'awaiting_gate', pending: [{ name: 'GATE_MODE_APPROVAL' }] };

  test('if the account was looked up by the same order', async () => {
    const steps = [orderOf('o2'), { ...holderOf(BOUND_ACCOUNT), depends_on: ['o'] }, refundOf('o2', 'h')];
    expect((await refunding(steps)).outcome).toMatchObject(waiting);
  });

  test('if the order comes from the answer', async () => {
    const steps = [holderOf('acc-2'), refundOf({ $from: 'h', path: '/newest_order' }, 'h')];
    expect((await refunding(steps)).outcome).toMatchObject(waiting);
  });

  test('if the tool declares the field with the order', async () => {
    const { outcome } = await refunding([holderOf('acc-2'), refundOf('o2', 'h')], { order_id: '/newest_order' });
    expect(outcome).toMatchObject(waiting);
  });

  test('if the tool declares that it answers about every call', async () => {
    expect((await refunding([holderOf('acc-2'), refundOf('o1', 'h')], 'every_call')).outcome).toMatchObject(waiting);
  });
});
