import { BUDGET_ROLES, type BudgetCaps, PartialCaps, parseBudget } from '../model/budget/budget.ts';
import { type ResolvedCaps, resolveCaps } from '../model/budget/budget-profile.ts';
import type { UnitPrices } from '../model/budget/run-cost.ts';
import { judgedBy, type Rubric } from '../model/critic/rubric.ts';
import type { CompiledContext } from '../model/evidence/context.ts';
import { evidenceOf, freshness, visibleItems } from '../model/evidence/visible-context.ts';
import { Fault, type FaultCode } from '../model/fault/fault.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { type Address, address, type Hash } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import { isName } from '../model/json/name.ts';
import { type Boundary, conditionsOf } from '../model/policy/boundary.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { SecurityToken } from '../model/run/identity.ts';
import {
  type AutonomyChoice,
  parseManifest,
  type RecordedTimeouts,
  type RunManifest,
  type Versions,
} from '../model/run/manifest.ts';
import { RUN_RULES } from '../model/run/rules.ts';
import type { RunHistory, ThreadPlace } from '../model/run/thread.ts';
import type { IntakeAnswer } from './check-policy.ts';

/** The terms that runs are started under: the same for every run of a host, except that lanes may spend less. */
export interface RunTerms {
  readonly agent: AgentSpec;
  readonly graph: { readonly hash: Address; readonly tier: number; readonly guards?: readonly string[] };
  readonly versions: { readonly registry: string; readonly catalog: string; readonly policy: string };
  readonly detectors: readonly string[];
  readonly hash: Hash;
  readonly rubric: Rubric;
  readonly tenantQuota: PartialCaps;
  /** Absent if the host names no prices. */
  readonly prices?: UnitPrices;
  readonly autonomy: () => AutonomyChoice;
  /** Absent if the host names no range of planner time limits. */
  readonly plannerTimeouts?: RecordedTimeouts;
}

export interface NewRun {
  readonly id: string;
  readonly token: SecurityToken;
  readonly now: number;
  readonly context: CompiledContext;
  /** The thread of the run, and the words of its earlier messages. */
  readonly thread?: { readonly place: ThreadPlace; readonly history: RunHistory };
}

export type InitRun = (run: NewRun) => IntakeAnswer<'run_initialized'> | IntakeAnswer<'stop_raised'>;

/**
 * Creates the function that gives a run its manifest and its budget. A run that cannot have both stops before planning,
 * with the reason. The terms do not change, so the manifest of the first run is reused for later ones.
 */
export function createInitRun(terms: RunTerms): InitRun {
  let first: Written | null = null;
  return (run) => {
    try {
      assertTierAllowed(terms);
      assertPinned(terms, run);
      const written = (first === null ? null : writtenAs(first, run)) ?? write(terms, run);
      first ??= deepFreeze(written);
      return initialized(terms, run, written);
    } catch (error) {
      return refused(Fault.is(error) ? error : new Fault('internal', String(error), { cause: error }));
    }
  };
}

/** The budget and the manifest of a run. */
interface Written {
  readonly caps: BudgetCaps;
  readonly manifest: RunManifest;
}

function write(terms: RunTerms, run: NewRun): Written {
  const resolved = runBudget(terms.agent, terms.tenantQuota);
  return { caps: resolved.caps, manifest: manifestOf(terms, run, resolved) };
}

/** Reuses the manifest for another run; null if they differ in more than the run id. */
function writtenAs({ caps, manifest }: Written, { id, context }: NewRun): Written | null {
  if (!isName(id) || context.memory_snapshot !== manifest.memory_snapshot) return null;
  return { caps, manifest: { ...manifest, run_id: id } };
}

/** The manifest of a run in a thread. It is not reused, because the thread goes on. */
const inThread = (manifest: RunManifest, { thread }: NewRun): RunManifest =>
  thread === undefined ? manifest : deepFreeze({ ...manifest, thread: thread.place });

function initialized({ agent }: RunTerms, run: NewRun, { caps, manifest }: Written): IntakeAnswer<'run_initialized'> {
  const { token, now, context, thread } = run;
  const viewer = { token, boundary: agent.boundary, now };
  const evidence = evidenceOf(context, viewer);
  const strange = visibleItems(context, viewer).filter(({ trusted }) => !trusted);
  const answer = {
    type: 'run_initialized',
    manifest: inThread(manifest, run),
    caps,
    evidence,
    ...freshness(context, evidence),
    ...(thread === undefined ? {} : { history: thread.history }),
  } as const;
  return strange.length === 0 ? answer : { ...answer, untrusted_context: strange.map(({ key }) => key) };
}

const OPEN_ENDED_TIER = 7;

/** Refuses a graph above the agent's declared tier, and an open-ended tier outside a sandbox. */
function assertTierAllowed({ agent, graph }: RunTerms): void {
  const { tier, environment } = agent.autonomy;
  if (graph.tier > tier) {
    const message = `the graph is built for tier ${graph.tier}, and ${agent.name} declares tier ${tier}`;
    throw new Fault('tier_not_allowed', message, { path: '/autonomy/tier' });
  }
  if (tier >= OPEN_ENDED_TIER && environment !== 'sandbox') {
    const message = `tier ${tier} runs only in a sandbox, not in ${environment}`;
    throw new Fault('tier_not_allowed', message, { path: '/autonomy/environment' });
  }
}

/** Refuses a context of another pack or snapshot than the agent is pinned to. */
function assertPinned({ agent: { pins } }: RunTerms, { context }: NewRun): void {
  if (context.pack_pin !== pins.pack_pin) {
    const message = mismatch(pins.pack_pin, context.pack_pin, 'pack_pin');
    throw new Fault('pack_version_mismatch', message);
  }
  if (context.snapshot_pin !== pins.snapshot_pin) {
    const message = mismatch(pins.snapshot_pin, context.snapshot_pin, 'snapshot_pin');
    throw new Fault('snapshot_version_mismatch', message);
  }
}

const mismatch = (pinned: string, actual: string, pin: string): string =>
  `pinned to ${pinned}, given ${actual}: give the one it is pinned to, or pin the agent to this one in pins.${pin}`;

function manifestOf(terms: RunTerms, { id, context }: NewRun, { caps, ...changed }: ResolvedCaps): RunManifest {
  const { agent, graph, versions, rubric, detectors, plannerTimeouts, prices, autonomy } = terms;
  const boundary = recordedBoundary(agent.boundary);
  return parseManifest({
    run_id: id,
    agent: agent.name,
    autonomy_boundary: boundary,
    autonomy_boundary_version: address(terms.hash, boundary as unknown as Json),
    workflow_graph_version: graph.hash,
    tool_registry_version: versions.registry,
    decision_catalog_version: versions.catalog,
    policy_version: versions.policy,
    evaluator_versions: byName(judgedBy(rubric)),
    detector_versions: byName(detectors),
    rubric_version: `${rubric.name}@${rubric.version}`,
    ...agent.pins,
    memory_snapshot: context.memory_snapshot,
    budget_caps: caps,
    budget: { profile: agent.budget.profile, ...changed },
    ...(prices === undefined ? {} : { prices }),
    environment: agent.autonomy.environment,
    tier: agent.autonomy.tier,
    autonomy: autonomy(),
    rules: RUN_RULES,
    ...(plannerTimeouts === undefined ? {} : { planner_timeouts: plannerTimeouts }),
    ...(agent.output === undefined ? {} : { output_schema: agent.output }),
    ...(graph.guards === undefined || graph.guards.length === 0 ? {} : { guards: graph.guards }),
  });
}

/**
 * Every new run records its trusted inputs and the conditions of its profile, so that later versions read it by these
 * rules (ADR 0063, ADR 0068).
 */
function recordedBoundary(boundary: Boundary): Boundary {
  const conditions = conditionsOf(boundary);
  return {
    ...boundary,
    observations: { trusted_inputs: {}, ...boundary.observations },
    ...(conditions.length === 0 ? {} : { tools: { ...boundary.tools, conditions } }),
  };
}

/** Turns `['schema@1']` into `{ schema: '1' }`. */
function byName(ids: readonly string[]): Versions {
  const versions = new Map<string, string>();
  for (const id of ids) {
    const at = id.indexOf('@');
    const name = id.slice(0, at);
    if (versions.has(name)) throw new Fault('manifest_invalid', `the run would be judged by two versions of ${name}`);
    versions.set(name, id.slice(at + 1));
  }
  return Object.fromEntries(versions);
}

/** Turns a fault into a stop: `PERMISSION_DENIED` for a forbidden tier, otherwise `IMPOSSIBLE`. */
function refused({ code, message, path }: Fault): IntakeAnswer<'stop_raised'> {
  const detail = path === undefined ? { message } : { message, path };
  return { type: 'stop_raised', stop: { code: terminalCode(code), reason: code, detail } };
}

function terminalCode(code: FaultCode): TerminalCode {
  return code === 'tier_not_allowed' ? 'PERMISSION_DENIED' : 'IMPOSSIBLE';
}

/** The agent's budget caps and their origin, limited by the tenant quota and the boundary. Throws if a dimension is missing. */
export function runBudget({ budget, boundary }: AgentSpec, tenantQuota: PartialCaps): ResolvedCaps {
  const ceiling = lowerCaps(parseBudget(PartialCaps, tenantQuota), boundary.resource_budgets);
  const roles = lowerRoles(budget.overrides.roles, ceiling.roles);
  const stated = roles === undefined ? budget.overrides : { ...budget.overrides, roles };
  return resolveCaps(budget.profile, stated, ceiling);
}

/** The lower of two caps in each dimension; a limit in only one of them is kept. */
export function lowerCaps(a: PartialCaps, b: PartialCaps): PartialCaps {
  const roles = lowerRoles(a.roles, b.roles);
  return { ...lower(a, b), ...(roles === undefined ? {} : { roles }) };
}

function lowerRoles(a: PartialCaps['roles'], b: PartialCaps['roles']): PartialCaps['roles'] {
  if (a === undefined || b === undefined) return a ?? b;
  const stated = BUDGET_ROLES.filter((role) => a[role] !== undefined || b[role] !== undefined);
  return Object.fromEntries(stated.map((role) => [role, lower(a[role] ?? {}, b[role] ?? {})]));
}

function lower(a: PartialCaps, b: PartialCaps): PartialCaps {
  const merged = new Map<string, unknown>(Object.entries(a));
  for (const [cap, most] of Object.entries(b)) {
    const own = merged.get(cap);
    merged.set(cap, typeof own === 'number' && typeof most === 'number' ? Math.min(own, most) : (own ?? most));
  }
  return Object.fromEntries(merged);
}
