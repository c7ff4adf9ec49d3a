/** The planner sees everything that was compiled for the run, of exactly the versions the run is pinned to. */
import { expect } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent.ts';
import type { CompiledContext } from '../../../src/model/context.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig, START_MS } from '../rig.ts';

const TOOLS = { finish: { produces: ['done'] } };
const PLANS = [planOf([{ id: 'a', tool: 'finish' }])];

function context(pack: string): CompiledContext {
  return {
    context_id: 'ctx_7',
    pack_pin: pack,
    snapshot_pin: 'kg_1',
    items: [],
    compiled_at: START_MS,
    memory_snapshot: null,
  };
}

const pinnedTo =
  (pack: string) =>
  (agent: AgentSpec): AgentSpec => ({ ...agent, pins: { ...agent.pins, pack_pin: pack } });

verifies('plan:context:full-compiled-context', 'the planner gets the whole context, every item of it', async () => {
  const given: CompiledContext = {
    ...context('ctxpack.bench@3.1.0'),
    items: ['order', 'policy', 'history'].map((key, authority) => ({
      key,
      type: key,
      value: { about: key, nested: [authority] },
      source_id: 'crm',
      permission_scope: 'all',
      observed_at: START_MS,
      fresh_until: START_MS + 60_000,
      trusted: authority !== 2,
      authority,
      personal_data: false,
    })),
  };
  const bench = rig({ tools: TOOLS, plans: PLANS, agent: pinnedTo('ctxpack.bench@3.1.0'), world: { context: given } });
  await bench.invoke();
  expect(bench.planner.requests[0]?.context).toEqual(given);
});

verifies('plan:session:first-plan-uses-pins', 'a session plans against its own pack and snapshot', async () => {
  const bench = rig({
    tools: TOOLS,
    plans: PLANS,
    agent: pinnedTo('ctxpack.bench@3.1.0'),
    world: { context: context('ctxpack.bench@3.1.0') },
  });
  const newer = rig({
    tools: TOOLS,
    agent: pinnedTo('ctxpack.bench@3.1.0'),
    world: { context: context('ctxpack.bench@3.2.0') },
  });
  const background = { mode: 'long_running', runtime: { max_session_duration_ms: 3_600_000 } };
  const { runId } = await bench.invoke(background);
  expect(bench.planner.requests[0]?.context).toMatchObject({
    pack_pin: 'ctxpack.bench@3.1.0',
    snapshot_pin: 'kg_1',
  });
  const { state } = await bench.runtime.replay(runId);
  expect(state.manifest).toMatchObject({ pack_pin: 'ctxpack.bench@3.1.0', snapshot_pin: 'kg_1' });
  // What was published since cannot slip in: such a run does not get as far as its planner.
  expect(await newer.invoke(background)).toMatchObject({ status: 'failed', reason: 'pack_version_mismatch' });
  expect(newer.planner.requests).toEqual([]);
});
