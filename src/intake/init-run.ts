import type { AgentSpec } from '../model/agent.ts';
import type { BudgetCaps, PartialCaps } from '../model/budget.ts';
import type { CompiledContext } from '../model/context.ts';
import { Fault, type FaultCode } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import type { SecurityToken } from '../model/identity.ts';
import { parseManifest, type RunManifest, type Versions } from '../model/manifest.ts';
import { judgedBy, type Rubric } from '../model/rubric.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import { evidenceOf, freshness, visibleItems } from '../model/visible-context.ts';
import type { Answer } from './answer.ts';
import { runCaps } from './run-caps.ts';

export interface RunSetup {
  readonly run: { readonly id: string; readonly token: SecurityToken; readonly now: number };
  readonly agent: AgentSpec;
  readonly graph: { readonly hash: Address; readonly tier: number };
  readonly versions: { readonly registry: string; readonly catalog: string; readonly policy: string };
  readonly detectors: readonly string[];
  readonly rubric: Rubric;
  readonly tenantQuota: PartialCaps;
  readonly context: CompiledContext;
}

/**
 * Writes down everything the run is started under, and gives it its budget. A run that cannot have both does not get as
 * far as planning: it ends with the reason.
 */
export function initRun(setup: RunSetup): Answer<'run_initialized'> | Answer<'stop_raised'> {
  try {
    const { agent, run, context } = setup;
    assertTierAllowed(setup);
    assertPinned(setup);
    const caps = runCaps(agent, setup.tenantQuota);
    const viewer = { token: run.token, boundary: agent.boundary, now: run.now };
    const evidence = evidenceOf(context, viewer);
    const strange = visibleItems(context, viewer).filter(({ trusted }) => !trusted);
    const initialized = {
      type: 'run_initialized',
      manifest: manifestOf(setup, caps),
      caps,
      evidence,
      ...freshness(context, evidence),
    } as const;
    return strange.length === 0 ? initialized : { ...initialized, untrusted_context: strange.map(({ key }) => key) };
  } catch (error) {
    return refused(Fault.is(error) ? error : new Fault('internal', String(error), { cause: error }));
  }
}

const OPEN_ENDED_TIER = 7;

/** The tier an agent declares is the one it is held to, so the graph may not stand on a higher one. */
function assertTierAllowed({ agent, graph }: RunSetup): void {
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

/** A run reads the pack and the snapshot its agent is pinned to, or it does not start. */
function assertPinned({ agent: { pins }, context }: RunSetup): void {
  if (context.pack_pin !== pins.pack_pin) {
    const message = mismatch(pins.pack_pin, context.pack_pin, 'pack_pin');
    throw new Fault('pack_version_mismatch', message);
  }
  if (context.snapshot_pin !== pins.snapshot_pin) {
    const message = mismatch(pins.snapshot_pin, context.snapshot_pin, 'snapshot_pin');
    throw new Fault('snapshot_version_mismatch', message);
  }
}

const mismatch = (pinned: string, given: string, pin: string): string =>
  `pinned to ${pinned}, given ${given}: give the one it is pinned to, or pin the agent to this one in pins.${pin}`;

function manifestOf(setup: RunSetup, caps: BudgetCaps): RunManifest {
  const { run, agent, graph, versions, rubric, detectors, context } = setup;
  return parseManifest({
    run_id: run.id,
    agent: agent.name,
    autonomy_boundary: agent.boundary,
    autonomy_boundary_version: agent.boundary.version,
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
    environment: agent.autonomy.environment,
    tier: agent.autonomy.tier,
  });
}

/** `schema@1` becomes `schema: '1'`. */
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

/** What the run is not permitted is a denial; for the rest, something that it needs cannot be had. */
function refused({ code, message, path }: Fault): Answer<'stop_raised'> {
  const detail = path === undefined ? { message } : { message, path };
  return { type: 'stop_raised', stop: { code: terminalCode(code), reason: code, detail } };
}

function terminalCode(code: FaultCode): TerminalCode {
  return code === 'tier_not_allowed' ? 'PERMISSION_DENIED' : 'IMPOSSIBLE';
}
