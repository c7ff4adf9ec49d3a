import {
  assertOwnEdges,
  chooseTier,
  chooseTopology,
  compile,
  GUARDS,
  type KernelEnv,
  STANDARD_GRAPHS,
  type StandardGraphName,
  type TaskNeed,
  tierOf,
} from '../kernel/index.ts';
import { Fault } from '../model/fault/fault.ts';
import { GatePolicy } from '../model/gate/gate.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { parseAt } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import type { GraphSpec } from '../model/plan/graph.ts';
import type { PolicyEngine } from '../model/policy/policy-decision.ts';
import { RISK_CLASSES, type RiskClass } from '../model/policy/risk.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { Authorizer } from '../ports/authorizer.ts';

/** Rejects a tier above the lowest sufficient one, unless the agent states a reason against each lower tier. */
export function assertTier({ autonomy: { needs, environment, tier, reasons } }: AgentSpec): void {
  // `chooseTier` rejects unknown needs.
  chooseTier({ needs: needs as readonly TaskNeed[], environment, requested: { rank: tier, reasons } });
}

/** Rejects a topology that the environment does not allow. A swarm needs a sandbox or an explicit opt-in. */
export function assertTopology({ autonomy: { environment, topology } }: AgentSpec): void {
  if (topology === undefined) return;
  chooseTopology({ needs: [], environment, requested: topology.name, swarmOptIn: topology.opt_in !== undefined });
}

/** Returns the requested graph or the tier's default, and rejects a graph of a higher tier than the agent's. */
export function graphFor(
  asked: StandardGraphName | GraphSpec | undefined,
  { name, autonomy: { tier } }: AgentSpec,
  { hash, guards = GUARDS }: Pick<KernelEnv, 'hash' | 'guards'>,
): KernelEnv['graph'] {
  const graph = compile(graphOf(asked ?? tierOf(tier).graphs[0]), guards, hash);
  assertOwnEdges(graph.spec);
  if (graph.spec.tier <= tier) return graph;
  const message = `the graph ${graph.spec.name} needs tier ${graph.spec.tier}, but ${name} declares tier ${tier}: choose another graph, or raise the tier`;
  throw new Fault('tier_not_allowed', message, { path: '/agent/autonomy/tier' });
}

function graphOf(name: StandardGraphName | GraphSpec): GraphSpec {
  if (typeof name === 'object') return name;
  if (!Object.hasOwn(STANDARD_GRAPHS, name)) {
    throw new Fault(
      'graph_invalid',
      `there is no graph "${name}"; there are ${Object.keys(STANDARD_GRAPHS).join(', ')}`,
    );
  }
  return STANDARD_GRAPHS[name];
}

/** Rules for plans, rules for single calls, and candidate rules that are only evaluated. */
export interface PolicyParts {
  readonly plans: PolicyEngine;
  readonly calls?: Authorizer;
  readonly candidate?: Authorizer;
}

/** Combines the rules into one engine with one version, so that a run pins every rule that may refuse it. */
export function policyEngine({ plans, calls, candidate }: PolicyParts): PolicyEngine {
  if (calls === undefined) {
    if (candidate === undefined) return plans;
    const message = 'world.policy.candidate is compared with world.policy.calls, which is missing: set calls too';
    throw new Fault('input_invalid', message, { path: '/world/policy/candidate' });
  }
  return {
    version: `${plans.version}/${calls.version}`,
    invariants: (plan) => plans.invariants(plan),
    calls,
    ...(candidate === undefined ? {} : { candidate }),
  };
}

/**
 * Returns the highest risk of the agent's intents. A run pins one rubric at its start, so the strictest one applies.
 */
export function highestRisk(agent: AgentSpec): RiskClass {
  const ranks = agent.intents.map(({ risk }) => RISK_CLASSES.indexOf(risk));
  return RISK_CLASSES[Math.max(0, ...ranks)] ?? 'critical';
}

/** The policies of gates by name, each parsed at its own place. */
export function gatePolicies(
  gates: Readonly<Record<string, Partial<GatePolicy>>>,
): ReadonlyMap<string, Partial<GatePolicy>> {
  return new Map(
    Object.entries(gates).map(([name, policy]) => [
      name,
      deepFreeze(parseAt(`/world/policy/gates${pointerToken(name)}`, GatePolicy, policy, 'input_invalid')),
    ]),
  );
}
