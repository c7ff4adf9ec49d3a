/**
 * Tests that a gate that only the approval mode requires is GATE_MODE_APPROVAL, for declared and imported tools alike.
 */
import { describe, expect, test } from 'vitest';
import { tool } from '../../../src/gateway/tool/tool.ts';
import { importedSpec, type ToolOffer, UNDECLARED } from '../../../src/model/tool/imported-tool.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const INPUT = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } as const;
const ANSWER = { type: 'object' } as const;

const own: ToolSpec = tool({
  name: 'post',
  description: 'Posts a note',
  approvalMode: 'network',
  inputSchema: INPUT,
  outputSchema: ANSWER,
  execute: () => ({ ok: true }),
  effects: { produces: ['done'] },
  risk: { requestWords: ['post'] },
}).spec;

const OFFER: ToolOffer = {
  name: 'post',
  version: '1',
  description: 'Posts a note',
  input_schema: INPUT,
  output_schema: ANSWER,
  source: 'mcp:notes',
};
const label = { approval_mode: 'network', produces: ['done'], hazards: { request_words: ['post'] } } as const;
const imported = importedSpec(OFFER, UNDECLARED, label);
const asking = importedSpec(OFFER, { ...UNDECLARED, asks: true }, label);

const posting = (spec: ToolSpec, granting = false): RigOptions => ({
  tools: { post: spec },
  plans: [planOf([{ id: 's1', tool: 'post', params: { to: 'team_a' }, requires: spec.gates }])],
  agent: (agent) => ({
    ...agent,
    boundary: {
      ...agent.boundary,
      tools: { ...agent.boundary.tools, ...(granting ? { request_grants: 'stated' } : {}) },
    },
  }),
});

async function permitted(spec: ToolSpec): Promise<Rig> {
  const bench = rig(posting(spec));
  const terms = {
    grant_id: 'grant_1',
    tenant_id: 'tenant_a',
    tool: 'post',
    arguments: { to: { prefix: 'team_' } },
    uses_max: 1,
    microusd_max: 0,
    reason: 'status notes',
    expires_at: START_MS + 60_000,
  };
  await bench.runtime.grants.give(terms, operator('lead_1'));
  return bench;
}

const GOAL = { statement: 'Post to team_a' };

describe.each([
  ['declared with tool()', own],
  ['imported from a server', imported],
])('a network tool %s without gates of its own', (_, spec) => {
  test('waits for a person', async () => {
    const bench = rig(posting(spec));
    expect(await bench.invoke()).toMatchObject({ pending: [{ name: 'GATE_MODE_APPROVAL' }] });
    expect(bench.dispatches).toEqual([]);
  });
  test('runs on a standing grant', async () => {
    expect(await (await permitted(spec)).invoke()).toMatchObject({
      terminalCode: 'SUCCESS',
      record: { approvals: [{ gate: 'GATE_MODE_APPROVAL', approver: 'lead_1' }] },
    });
  });
  test('runs without a gate if the request states exactly this call', async () => {
    expect(await rig(posting(spec, true)).invoke({ goal: GOAL })).toMatchObject({
      terminalCode: 'SUCCESS',
      record: { approvals: [{ gate: 'GATE_MODE_APPROVAL', approver: 'agt_worker' }] },
    });
  });
});

test('no grant opens the gate of an imported tool that always asks', async () => {
  const gate = { pending: [{ name: 'GATE_TOOL_APPROVAL' }] };
  expect(await (await permitted(asking)).invoke()).toMatchObject(gate);
  expect(await rig(posting(asking, true)).invoke({ goal: GOAL })).toMatchObject(gate);
});

test('a tool with category rules waits once, at the gate of its category', async () => {
  const spec = tool({
    name: 'post',
    description: 'Posts a note',
    approvalMode: 'network',
    inputSchema: INPUT,
    outputSchema: ANSWER,
    execute: () => ({ ok: true }),
    effects: { produces: ['done'] },
    rules: { category: { operation: 'gated' } },
  }).spec;
  expect(spec.gates).toEqual(['GATE_API_CHANGE']);
  const waiting = await (await permitted(spec)).invoke();
  expect(waiting.pending.map(({ name }) => name)).toEqual(['GATE_API_CHANGE']);
});
