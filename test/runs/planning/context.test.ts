/** Tests that the planner receives the complete compiled context in the pinned versions. */
import { expect } from 'vitest';
import type { CompiledContext } from '../../../src/model/evidence/context.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
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

verifies('plan:context:full-compiled-context', 'passes every item of the compiled context to the planner', async () => {
  const compiled: CompiledContext = {
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
  const bench = rig({
    tools: TOOLS,
    plans: PLANS,
    agent: pinnedTo('ctxpack.bench@3.1.0'),
    world: { context: compiled },
  });
  await bench.invoke();
  expect(bench.planner.requests[0]?.context).toEqual(compiled);
});

verifies(
  'plan:session:first-plan-uses-pins',
  'plans against the pinned context pack and snapshot of the session',
  async () => {
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
    const { state } = await bench.runtime.records.replay(runId);
    expect(state.manifest).toMatchObject({ pack_pin: 'ctxpack.bench@3.1.0', snapshot_pin: 'kg_1' });
    // A run with a newer pack than its pin fails before planning.
    expect(await newer.invoke(background)).toMatchObject({ status: 'failed', reason: 'pack_version_mismatch' });
    expect(newer.planner.requests).toEqual([]);
  },
);
