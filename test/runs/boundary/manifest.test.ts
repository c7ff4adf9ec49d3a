/** The complete boundary a run was started under is stored with the run. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { ambit } from '../../../src/compose.ts';
import { assertBoundaryVersion } from '../../../src/kernel/query/plan/pins.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { BOUNDARY_DIMENSIONS } from '../../../src/model/policy/boundary.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { parseManifest } from '../../../src/model/run/manifest.ts';
import { verifies } from '../../requirements/verifies.ts';
import { firstEvent } from '../grounding/recorded-events.ts';
import { agentFor, planOf, rig } from '../rig.ts';

const ID = 'boundary:manifest:stored-with-run';

verifies(ID, 'stores all six dimensions and the version', async () => {
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] });
  const { runId } = await bench.invoke();
  const { manifest } = firstEvent(await bench.events(runId), 'run_initialized');
  expect(BOUNDARY_DIMENSIONS).toHaveLength(6);
  for (const dimension of BOUNDARY_DIMENSIONS) expect(manifest.autonomy_boundary[dimension]).toBeDefined();
  const { boundary } = agentFor(['finish']);
  const observations = { ...boundary.observations, trusted_inputs: {} };
  expect(manifest.autonomy_boundary).toEqual({ ...boundary, observations });
  const content = manifest.autonomy_boundary as unknown as Json;
  expect(manifest.autonomy_boundary_version).toBe(address(sha256, content));
  const trace = await bench.runtime.records.trace(runId);
  expect(trace.autonomy_boundary_version).toBe(manifest.autonomy_boundary_version);
});

verifies(ID, 'without a boundary there is no agent, no manifest and no run', async () => {
  const { boundary: _, ...unbounded } = agentFor([]);
  const propose = (): never => {
    throw new Error('must not be called');
  };
  expect(() => ambit({ agent: unbounded as AgentSpec, tools: [], planner: { propose } })).toThrow(
    expect.objectContaining({ code: 'boundary_missing' }),
  );
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] });
  const { runId } = await bench.invoke();
  const { manifest } = firstEvent(await bench.events(runId), 'run_initialized');
  const { autonomy_boundary: __, ...rest } = manifest;
  expect(() => parseManifest(rest)).toThrow(expect.objectContaining({ code: 'boundary_missing' }));
  expect(() => parseManifest({ ...manifest, autonomy_boundary_version: '2' })).toThrow(
    expect.objectContaining({ code: 'manifest_invalid' }),
  );
});

verifies(ID, 'a boundary that was edited has another version, even under the same label', async () => {
  const tools = { finish: { produces: ['done'] }, other: {} } as const;
  const recorded = await Promise.all(
    [['finish'], ['finish', 'other']].map(async (allowed) => {
      const agent = (spec: AgentSpec): AgentSpec => ({
        ...spec,
        boundary: { ...spec.boundary, tools: { ...spec.boundary.tools, allowed } },
      });
      const bench = rig({ tools, agent, plans: [planOf([{ id: 'a', tool: 'finish' }])] });
      return firstEvent(await bench.events((await bench.invoke()).runId), 'run_initialized').manifest;
    }),
  );
  expect(new Set(recorded.map(({ autonomy_boundary }) => autonomy_boundary.version)).size).toBe(1);
  expect(new Set(recorded.map(({ autonomy_boundary_version }) => autonomy_boundary_version)).size).toBe(2);
});

verifies(ID, 'the kernel refuses a manifest whose boundary version is not the address of its boundary', async () => {
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] });
  const { runId } = await bench.invoke();
  const { state } = await bench.runtime.records.replay(runId);
  const { manifest } = firstEvent(await bench.events(runId), 'run_initialized');
  const autonomy_boundary = { ...manifest.autonomy_boundary, escalation_paths: [] };
  expect(() => assertBoundaryVersion({ hash: sha256 }, state, manifest)).not.toThrow();
  expect(() => assertBoundaryVersion({ hash: sha256 }, state, { ...manifest, autonomy_boundary })).toThrow(
    /is not the content address of the boundary/,
  );
});
