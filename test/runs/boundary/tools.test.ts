/** The boundary in the manifest applies to every call, even if tool, token and plan allow it. */
import { expect, test } from 'vitest';
import type { ToolBounds } from '../../../src/model/policy/boundary.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const rigWithBounds = (changes: Partial<ToolBounds>, risk: 'low' | 'high' = 'low'): Rig =>
  rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
    agent: (agent): AgentSpec => ({
      ...agent,
      intents: agent.intents.map((intent) => ({ ...intent, risk })),
      boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, ...changes } },
    }),
  });

test('a read that needs approval by the boundary waits for a person and runs after the approval', async () => {
  const run = rigWithBounds({ needs_approval: ['finish'] });
  const outcome = await run.invoke();
  expect(outcome.status).toBe('awaiting_gate');
  expect(outcome.pending.map(({ name }) => name)).toEqual(['GATE_BOUNDARY_APPROVAL']);
  expect(run.dispatches).toEqual([]);
  const [gate] = outcome.pending;
  if (gate === undefined) throw new Error('no gate');
  const { gateId, packetHash } = gate;
  const approved = await run.settle(
    run.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'fine' }),
  );
  expect(approved.terminalCode).toBe('SUCCESS');
  expect(run.dispatches).toHaveLength(1);
});

test('a run above the risk limit of the boundary makes no call', async () => {
  const run = rigWithBounds({ risk_max: 'moderate' }, 'high');
  const outcome = await run.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'risk_max_exceeded' });
  expect(run.dispatches).toEqual([]);
  expect((await rigWithBounds({ risk_max: 'moderate' }).invoke()).terminalCode).toBe('SUCCESS');
});

test('rejects a journal that omits the boundary gate', async () => {
  const options = { tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] };
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = kernelOf(options);
  const events = await bench.events(runId);
  const state = before(env, events, 'step_cleared');
  const cleared = events.find(({ type }) => type === 'step_cleared');
  if (cleared === undefined || state.manifest === null) throw new Error('no call was cleared');
  const { autonomy_boundary } = state.manifest;
  const tools = { ...autonomy_boundary.tools, needs_approval: ['finish'] };
  const manifest = { ...state.manifest, autonomy_boundary: { ...autonomy_boundary, tools } };
  expect(offer(env, { ...state, manifest }, cleared)[2]?.message).toContain('GATE_BOUNDARY_APPROVAL');
});
