/** The boundary of the manifest rules on every call, also where tool, token and plan would let it pass. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent.ts';
import type { ToolBounds } from '../../../src/model/boundary.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const bounded = (changes: Partial<ToolBounds>, risk: 'low' | 'high' = 'low'): Rig =>
  rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
    agent: (agent): AgentSpec => ({
      ...agent,
      intents: agent.intents.map((intent) => ({ ...intent, risk })),
      boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, ...changes } },
    }),
  });

test('a read that the boundary wants approved waits for a person, and runs once one says yes', async () => {
  const run = bounded({ needs_approval: ['finish'] });
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

test('a run that is riskier than the boundary permits makes no call', async () => {
  const run = bounded({ risk_max: 'moderate' }, 'high');
  const outcome = await run.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'risk_max_exceeded' });
  expect(run.dispatches).toEqual([]);
  expect((await bounded({ risk_max: 'moderate' }).invoke()).terminalCode).toBe('SUCCESS');
});

test('a journal in which the gate of the boundary was left out is not believed', async () => {
  const options = { tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] };
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = kernelOf(options);
  const events = await bench.events(runId);
  const state = before(env, events, 'step_cleared');
  const cleared = events.find(({ type }) => type === 'step_cleared');
  if (cleared === undefined || state.manifest === null) throw new Error('nothing was cleared');
  const { autonomy_boundary } = state.manifest;
  const tools = { ...autonomy_boundary.tools, needs_approval: ['finish'] };
  const manifest = { ...state.manifest, autonomy_boundary: { ...autonomy_boundary, tools } };
  expect(offer(env, { ...state, manifest }, cleared)[2]?.message).toContain('GATE_BOUNDARY_APPROVAL');
});
