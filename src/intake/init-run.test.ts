/** Proves that everything a run is started under is written down, or that it ends with the reason and never a throw. */
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../test/documents/examples.ts';
import { agent, agentWith, context, identity, NOW, SUPPORT_CAPS, tools } from '../../test/intake/cases.ts';
import { rubricFor } from '../critic/rubrics.ts';
import type { AgentSpec } from '../model/agent.ts';
import { BOUNDARY_DIMENSIONS } from '../model/boundary.ts';
import { RunManifest } from '../model/manifest.ts';
import { parse } from '../model/parse.ts';
import { type InitRun, type NewRun, type RunTerms, runsUnder } from './init-run.ts';
import { resolveScope } from './resolve-scope.ts';

const { token } = resolveScope({ identity, tenantId: identity.tenant_id, agent, tools, now: NOW });
if (token === null) throw new Error('the cases give no token');

const terms: RunTerms = {
  agent,
  graph: { hash: `sha256:${'b'.repeat(64)}`, tier: 6 },
  versions: { registry: tools.version, catalog: `sha256:${'d'.repeat(64)}`, policy: 'policy@7' },
  rubric: rubricFor('moderate'),
  detectors: ['leaked_key@1'],
  tenantQuota: {},
};
const run: NewRun = { id: 'run_1', token, now: NOW, context };
const initWith = (part: Partial<RunTerms & NewRun>): ReturnType<InitRun> =>
  runsUnder({ ...terms, ...part })({ ...run, ...part });
const autonomy = (part: Partial<AgentSpec['autonomy']>): AgentSpec =>
  agentWith({ autonomy: { ...agent.autonomy, ...part } });

test('the manifest holds every version and the whole boundary', () => {
  const answer = initWith({});
  if (answer.type !== 'run_initialized') throw new Error(answer.stop.reason);
  const { manifest, caps, evidence } = answer;
  expect(manifest).toEqual({
    ...parse(RunManifest, readDocument('run-manifest'), 'input_invalid'),
    run_id: 'run_1',
    evaluator_versions: Object.fromEntries(rubricFor('moderate').evaluators.map((each) => each.split('@'))),
    memory_snapshot: null,
    budget_caps: caps,
  });
  for (const dimension of BOUNDARY_DIMENSIONS) expect(manifest.autonomy_boundary).toHaveProperty(dimension);
  expect(manifest.autonomy_boundary_version).toBe(agent.boundary.version);
  expect(caps).toEqual({ ...SUPPORT_CAPS, replan_attempts_max: 2, lanes_max: 0 });
  expect(evidence).toEqual({ policy: 'refund_policy' });
});

test('a quota below the profile is the cap, in the manifest too', () => {
  const answer = initWith({ tenantQuota: { tool_calls_max: 2 } });
  expect(answer).toMatchObject({ caps: { tool_calls_max: 2 }, manifest: { budget_caps: { tool_calls_max: 2 } } });
});

describe('tiers', () => {
  test('the open-ended one runs in a sandbox only, and even there with every cap', () => {
    expect(initWith({ agent: autonomy({ tier: 7 }) })).toMatchObject({
      type: 'stop_raised',
      stop: { code: 'PERMISSION_DENIED', reason: 'tier_not_allowed', detail: { path: '/autonomy/environment' } },
    });
    const sandboxed = autonomy({ tier: 7, environment: 'sandbox' });
    expect(initWith({ agent: sandboxed })).toMatchObject({ caps: SUPPORT_CAPS, manifest: { tier: 7 } });
  });

  test('a graph above the declared one is not run', () => {
    expect(initWith({ agent: autonomy({ tier: 5 }) })).toMatchObject({
      stop: { code: 'PERMISSION_DENIED', reason: 'tier_not_allowed', detail: { path: '/autonomy/tier' } },
    });
    expect(initWith({ graph: { ...terms.graph, tier: 3 } }).type).toBe('run_initialized');
  });
});

describe('a run that cannot have a manifest or a budget ends with the reason', () => {
  const { tool_calls_max: _, ...incomplete } = SUPPORT_CAPS;
  const many = { ...SUPPORT_CAPS, replan_attempts_max: 3 };
  const budget = (overrides: object): AgentSpec => agentWith({ budget: { profile: 'customer_support', overrides } });
  const rubric = { ...terms.rubric, evaluators: ['schema@1', 'schema@2'] };
  const { boundary: __, ...unbounded } = agent;
  const broken: readonly (readonly [string, Partial<RunTerms & NewRun>, string])[] = [
    ['a cap is missing', { agent: budget(incomplete) }, 'budget_invalid'],
    ['more re-plans without a word why', { agent: budget(many) }, 'replan_rationale_required'],
    ['a quota is no number', { tenantQuota: { steps_max: Number.NaN } }, 'budget_invalid'],
    ['the graph has no address', { graph: { hash: 'sha256:no', tier: 6 } }, 'manifest_invalid'],
    ['the rubric names an evaluator twice', { rubric }, 'manifest_invalid'],
    ['the context is of another pack', { context: { ...context, pack_pin: 'p@2' } }, 'pack_version_mismatch'],
    ['the context is of another snapshot', { context: { ...context, snapshot_pin: 's' } }, 'snapshot_version_mismatch'],
    ['the agent was never parsed', { agent: unbounded as AgentSpec }, 'internal'],
  ];

  test.each(broken)('%s', (___, parts, reason) => {
    const answer = initWith(parts);
    expect(answer).toMatchObject({ type: 'stop_raised', stop: { code: 'IMPOSSIBLE', reason } });
  });
});

describe('one run after the other under the same terms', () => {
  const snapshot = `sha256:${'e'.repeat(64)}` as const;
  const remembering = { ...context, memory_snapshot: snapshot };
  const others: readonly (readonly [string, Partial<NewRun>])[] = [
    ['has another name', { id: 'run_2' }],
    ['remembers something', { id: 'run_2', context: remembering }],
    ['has no name at all', { id: 'no name' }],
    ['remembers under no address', { context: { ...context, memory_snapshot: 'sha256:no' } }],
    ['is told something of another pack', { context: { ...context, pack_pin: 'p@2' } }],
    ['begins when nothing is fresh any more', { now: Number.MAX_SAFE_INTEGER }],
    ['may see nothing', { token: { ...token, data_scopes: [] } }],
  ];

  test.each(others)('one that %s is written down as if it were the first', (_, other) => {
    const initRun = runsUnder(terms);
    initRun(run);
    expect(JSON.stringify(initRun({ ...run, ...other }))).toBe(JSON.stringify(initWith(other)));
    expect(JSON.stringify(initRun(run))).toBe(JSON.stringify(initWith({})));
  });

  test('one that is refused leaves nothing behind for the next', () => {
    const initRun = runsUnder(terms);
    expect(initRun({ ...run, id: 'no name' })).toMatchObject({ stop: { reason: 'manifest_invalid' } });
    expect(initRun({ ...run, context: remembering })).toMatchObject({ manifest: { memory_snapshot: snapshot } });
    expect(initRun(run)).toMatchObject({ manifest: { run_id: 'run_1', memory_snapshot: null } });
  });

  test('nobody changes what the next is started under', () => {
    const initRun = runsUnder(terms);
    const answer = initRun(run);
    if (answer.type !== 'run_initialized') throw new Error(answer.stop.reason);
    expect(() => Object.assign(answer.caps, { steps_max: 1 })).toThrow(TypeError);
    expect(() => Object.assign(answer.manifest.autonomy_boundary.tools, { allowed: [] })).toThrow(TypeError);
  });
});
