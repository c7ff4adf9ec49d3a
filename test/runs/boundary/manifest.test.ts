/** The complete boundary a run was started under is stored with the run. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
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
  expect(manifest.autonomy_boundary_version).toBe(manifest.autonomy_boundary.version);
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
