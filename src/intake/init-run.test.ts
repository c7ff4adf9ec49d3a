/** Run initialization records all terms of a run, or stops it with a reason; it never throws. */
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../test/documents/examples.ts';
import { agent, agentWith, context, identity, NOW, SUPPORT_CAPS, tools } from '../../test/intake/cases.ts';
import { sha256 } from '../adapters/node/ids-and-hash.ts';
import { rubricFor } from '../critic/judges/judge-specs.ts';
import { address } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import { parse } from '../model/json/parse.ts';
import { BOUNDARY_DIMENSIONS, conditionsOf } from '../model/policy/boundary.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { type AutonomyChoice, RunManifest } from '../model/run/manifest.ts';
import { RUN_RULES } from '../model/run/rules.ts';
import { createInitRun, type InitRun, type NewRun, type RunTerms } from './init-run.ts';
import { resolveScope } from './resolve-scope.ts';

const { token } = resolveScope({ identity, tenantId: identity.tenant_id, agent, tools, now: NOW });
if (token === null) throw new Error('the cases give no token');

const AUTONOMY: AutonomyChoice = {
  needs: ['gated_actions'],
  insufficient: [],
  topology: { name: 'state_machine', why: 'It suffices.' },
};

const terms: RunTerms = {
  agent,
  hash: sha256,
  graph: { hash: `sha256:${'b'.repeat(64)}`, tier: 6 },
  versions: { registry: tools.version, catalog: `sha256:${'d'.repeat(64)}`, policy: 'policy@7' },
  rubric: rubricFor('moderate'),
  detectors: ['leaked_key@1'],
  tenantQuota: {},
  autonomy: () => AUTONOMY,
};
const run: NewRun = { id: 'run_1', token, now: NOW, context };
const initWith = (part: Partial<RunTerms & NewRun>): ReturnType<InitRun> =>
  createInitRun({ ...terms, ...part })({ ...run, ...part });
const autonomy = (part: Partial<AgentSpec['autonomy']>): AgentSpec =>
  agentWith({ autonomy: { ...agent.autonomy, ...part } });

test('writes every version and the complete boundary into the manifest', () => {
  const answer = initWith({});
  if (answer.type !== 'run_initialized') throw new Error(answer.stop.reason);
  const { manifest, caps, evidence } = answer;
  const written = parse(RunManifest, readDocument('run-manifest'), 'input_invalid');
  const { observations, tools } = written.autonomy_boundary;
  expect(manifest).toEqual({
    ...written,
    autonomy_boundary: {
      ...written.autonomy_boundary,
      observations: { ...observations, trusted_inputs: {} },
      tools: { ...tools, conditions: conditionsOf(agent.boundary) },
    },
    run_id: 'run_1',
    evaluator_versions: Object.fromEntries(rubricFor('moderate').evaluators.map((each) => each.split('@'))),
    memory_snapshot: null,
    budget_caps: caps,
    budget: { profile: agent.budget.profile, overridden: [], limited_by_quota: [] },
    autonomy: AUTONOMY,
    autonomy_boundary_version: manifest.autonomy_boundary_version,
    rules: RUN_RULES,
  });
  for (const dimension of BOUNDARY_DIMENSIONS) expect(manifest.autonomy_boundary).toHaveProperty(dimension);
  expect(manifest.autonomy_boundary_version).toBe(address(sha256, manifest.autonomy_boundary as unknown as Json));
  expect(caps).toEqual({ ...SUPPORT_CAPS, replan_attempts_max: 2, lanes_max: 0 });
  expect(evidence).toEqual({ policy: 'refund_policy' });
});

test('caps a run at the tenant quota, in the manifest too', () => {
  const answer = initWith({ tenantQuota: { tool_calls_max: 2 } });
  expect(answer).toMatchObject({ caps: { tool_calls_max: 2 }, manifest: { budget_caps: { tool_calls_max: 2 } } });
});

describe('tiers', () => {
  test('runs the open-ended tier only in a sandbox, with every cap', () => {
    expect(initWith({ agent: autonomy({ tier: 7 }) })).toMatchObject({
      type: 'stop_raised',
      stop: { code: 'PERMISSION_DENIED', reason: 'tier_not_allowed', detail: { path: '/autonomy/environment' } },
    });
    const sandboxed = autonomy({ tier: 7, environment: 'sandbox' });
    expect(initWith({ agent: sandboxed })).toMatchObject({ caps: SUPPORT_CAPS, manifest: { tier: 7 } });
  });

  test('refuses a graph above the declared tier', () => {
    expect(initWith({ agent: autonomy({ tier: 5 }) })).toMatchObject({
      stop: { code: 'PERMISSION_DENIED', reason: 'tier_not_allowed', detail: { path: '/autonomy/tier' } },
    });
    expect(initWith({ graph: { ...terms.graph, tier: 3 } }).type).toBe('run_initialized');
  });
});

describe('a run without a valid manifest or budget stops with the reason', () => {
  const { tool_calls_max: _, ...incomplete } = SUPPORT_CAPS;
  const many = { ...SUPPORT_CAPS, replan_attempts_max: 3 };
  const budget = (overrides: object): AgentSpec => agentWith({ budget: { profile: 'customer_support', overrides } });
  const rubric = { ...terms.rubric, evaluators: ['schema@1', 'schema@2'] };
  const { boundary: __, ...unbounded } = agent;
  const broken: readonly (readonly [string, Partial<RunTerms & NewRun>, string])[] = [
    ['a cap is missing', { agent: budget(incomplete) }, 'budget_invalid'],
    ['more re-plans have no rationale', { agent: budget(many) }, 'replan_rationale_required'],
    ['a quota is not a number', { tenantQuota: { steps_max: Number.NaN } }, 'budget_invalid'],
    ['the graph hash is invalid', { graph: { hash: 'sha256:no', tier: 6 } }, 'manifest_invalid'],
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

describe('consecutive runs under the same terms', () => {
  const snapshot = `sha256:${'e'.repeat(64)}` as const;
  const remembering = { ...context, memory_snapshot: snapshot };
  const others: readonly (readonly [string, Partial<NewRun>])[] = [
    ['has another id', { id: 'run_2' }],
    ['has a memory snapshot', { id: 'run_2', context: remembering }],
    ['has an invalid id', { id: 'no name' }],
    ['has an invalid memory snapshot', { context: { ...context, memory_snapshot: 'sha256:no' } }],
    ['has the context of another pack', { context: { ...context, pack_pin: 'p@2' } }],
    ['starts when no evidence is fresh', { now: Number.MAX_SAFE_INTEGER }],
    ['has no data scopes', { token: { ...token, data_scopes: [] } }],
  ];

  test.each(others)('a run that %s gets the same result as a first run', (_, other) => {
    const initRun = createInitRun(terms);
    initRun(run);
    expect(JSON.stringify(initRun({ ...run, ...other }))).toBe(JSON.stringify(initWith(other)));
    expect(JSON.stringify(initRun(run))).toBe(JSON.stringify(initWith({})));
  });

  test('a refused run does not affect the next one', () => {
    const initRun = createInitRun(terms);
    expect(initRun({ ...run, id: 'no name' })).toMatchObject({ stop: { reason: 'manifest_invalid' } });
    expect(initRun({ ...run, context: remembering })).toMatchObject({ manifest: { memory_snapshot: snapshot } });
    expect(initRun(run)).toMatchObject({ manifest: { run_id: 'run_1', memory_snapshot: null } });
  });

  test('the shared caps and boundary are frozen', () => {
    const initRun = createInitRun(terms);
    const answer = initRun(run);
    if (answer.type !== 'run_initialized') throw new Error(answer.stop.reason);
    expect(() => Object.assign(answer.caps, { steps_max: 1 })).toThrow(TypeError);
    expect(() => Object.assign(answer.manifest.autonomy_boundary.tools, { allowed: [] })).toThrow(TypeError);
  });
});
