/** Read-only tools that MCP clients call by name: each call is a run with one step, bounded and recorded like any other. */
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { toMCP } from '../../src/adapters/mcp/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Authorizer } from '../../src/ports/authorizer.ts';
import { REQUEST, type Rig, type RigOptions, type RigTool, rig, toolSpec } from '../runs/rig.ts';
import { OPTIONS } from './bounded-bench.ts';
import { type Asking, clientOf } from './client.ts';

const LOOK: RigTool = {
  input_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  execute: (args) => ({ id: args['id'] ?? null }),
};

interface Served {
  readonly work: Rig;
  readonly agent: Asking;
}

/** No plan is scripted: whoever asked the planner would be told that there is none. */
async function served(
  look: RigTool = LOOK,
  world: RigOptions['world'] = {},
  changes: JsonObject = {},
  options: RigOptions['options'] = {},
): Promise<Served> {
  const work = rig({ tools: { 'orders.look': look }, world, options });
  const tool = { spec: toolSpec('orders.look', look), execute: () => 'never called by the server itself' };
  const [here, there] = InMemoryTransport.createLinkedPair();
  const request = () => ({ ...REQUEST, ...changes });
  toMCP(work.runtime, { ...OPTIONS, request, tools: [tool] }).stdio(there);
  return { work, agent: await clientOf((client) => client.connect(here)) };
}

const runOf = (text: string): string => /\((run_[a-z0-9_]+)\)/u.exec(text)?.[1] ?? 'none';

test('a call by name is a run of one step that is on record and replays', async () => {
  const { work, agent } = await served();
  const { report, isError } = await agent.ask('orders.look', { id: 'o1' });
  expect(isError).toBe(false);
  expect(report).toEqual({ run_id: 'run_1', result: { id: 'o1' } });
  expect(work.dispatches).toMatchObject([{ tool: 'orders.look', args: { id: 'o1' } }]);
  const events = await work.events('run_1');
  expect(events.filter(({ type }) => type === 'step_attempted')).toHaveLength(1);
  expect(events.find(({ type }) => type === 'goal_received')).toMatchObject({
    goal: { call: { tool: 'orders.look', args: { id: 'o1' } } },
  });
  expect(await work.runtime.outcome('run_1')).toMatchObject({ terminalCode: 'SUCCESS' });
  await work.runtime.replay('run_1');
  expect((await agent.ask('status', { run_id: 'run_1' })).report).toMatchObject({ status: 'completed' });
  expect((await agent.ask('orders.look', {})).isError).toBe(true);
  await agent.client.close();
});

test('an agent that decides step by step, or waits for people, answers one call in the same way', async () => {
  const { work, agent } = await served(LOOK, {}, {}, { graph: 'reactive', limits: { planning: 'stepwise' } });
  expect((await agent.ask('orders.look', { id: 'o1' })).report).toEqual({ run_id: 'run_1', result: { id: 'o1' } });
  expect(work.planner.requests).toEqual([]);
  await agent.client.close();
  const asked = await served(LOOK, {}, {}, { graph: 'supervised' });
  const { isError, text } = await asked.agent.ask('orders.look', { id: 'o1' });
  expect([isError, text]).toEqual([true, 'tool_failed: awaiting_gate: it waits at GATE_PLAN_APPROVAL (run_1)']);
  expect(asked.work.dispatches).toEqual([]);
  await asked.agent.client.close();
});

test('a kill switch stops it, and the client hears who threw it and why', async () => {
  const { work, agent } = await served();
  await work.runtime.killSwitches.throw({ scope: { tool: 'orders.look' }, by: 'sre_1', reason: 'leaking orders' });
  const { isError, text } = await agent.ask('orders.look', { id: 'o1' });
  expect(isError).toBe(true);
  expect(text).toMatch(/sre_1.*leaking orders/u);
  expect(work.dispatches).toEqual([]);
  expect(await work.runtime.outcome(runOf(text))).toMatchObject({ status: 'failed' });
  await agent.client.close();
});

test('the machinery below every layer refuses it, in its own words', async () => {
  const infrastructure = { permits: () => ({ ok: false, reason: 'egress to orders is closed' }) as const };
  const { work, agent } = await served(LOOK, { infrastructure });
  const { isError, text } = await agent.ask('orders.look', { id: 'o1' });
  expect([isError, text]).toEqual([true, expect.stringContaining('egress to orders is closed')]);
  const events = await work.events(runOf(text));
  expect(events.find(({ type }) => type === 'step_refused')).toMatchObject({ layer: 'infrastructure' });
  expect(work.dispatches).toEqual([]);
  await agent.client.close();
});

test('policies, scopes and budgets hold for it as for every run', async () => {
  const ruling = { determining: ['closing'], reasons: ['orders are closed'], gates: [], errors: [] } as const;
  const calls: Authorizer = { version: 'closed@1', decide: () => ({ effect: 'forbid', ...ruling }) };
  const closed = await served(LOOK, { policy: { calls } });
  expect((await closed.agent.ask('orders.look', { id: 'o1' })).text).toContain('orders are closed');
  expect(closed.work.dispatches).toEqual([]);
  const scopes = await served(LOOK, {}, { identity: { ...(REQUEST['identity'] as JsonObject), scopes: [] } });
  expect((await scopes.agent.ask('orders.look', { id: 'o1' })).text).toMatch(/this run may not use orders.look/u);
  const spent = await served(LOOK, { policy: { quota: { tool_calls_max: 0 } } });
  expect((await spent.agent.ask('orders.look', { id: 'o1' })).text).toMatch(/BUDGET_EXHAUSTED/u);
  expect([...scopes.work.dispatches, ...spent.work.dispatches]).toEqual([]);
  for (const { agent } of [closed, scopes, spent]) await agent.client.close();
});

test('a tool that fails is tried as often as it may be, and nothing else is tried in its place', async () => {
  const failing: RigTool = {
    ...LOOK,
    retries_max: 0,
    execute: () => {
      throw new Error('the desk is closed');
    },
  };
  const { work, agent } = await served(failing);
  const { isError, text } = await agent.ask('orders.look', { id: 'o1' });
  expect([isError, text]).toEqual([true, expect.stringContaining('the desk is closed')]);
  expect(work.dispatches).toHaveLength(1);
  expect(work.planner.requests).toEqual([]);
  expect(await work.runtime.outcome(runOf(text))).toMatchObject({ status: 'failed' });
  await agent.client.close();
});

test('an answer that is kept beside the journal is handed over whole', async () => {
  const pages = Array.from({ length: 40 }, (_, at) => `page ${at} `.repeat(5_000));
  const { work, agent } = await served({ ...LOOK, execute: () => ({ pages }) });
  const { report } = await agent.ask('orders.look', { id: 'o1' });
  expect(report['result']).toEqual({ pages });
  const [observed] = (await work.events('run_1')).filter(({ type }) => type === 'step_observed');
  expect(observed).toMatchObject({ raw: { $blob: expect.stringMatching(/^sha256:/u) } });
  await agent.client.close();
});

test('arguments that read like a part of a plan are refused before anything is recorded', async () => {
  const { work, agent } = await served({ ...LOOK, input_schema: { type: 'object' } });
  const { isError, text } = await agent.ask('orders.look', { id: { $from: 'call', path: '' } });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^envelope_invalid: \/call\/args/u)]);
  expect(await work.runtime.sessions()).toEqual([]);
  await agent.client.close();
});

test('whatever could change something, or has to be asked about, is reached through an agent only', () => {
  const { runtime } = rig({});
  const wipe = { spec: toolSpec('wipe', { approval_mode: 'destructive', side_effect: true }), execute: () => null };
  expect(() => toMCP(runtime, { ...OPTIONS, tools: [wipe] })).toThrow(/can only be reached through a run/);
});
