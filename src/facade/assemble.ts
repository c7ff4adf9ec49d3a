import { detectorIds } from '../critic/detector-ids.ts';
import { rubricWith } from '../critic/judges/judge-specs.ts';
import { standardEvaluators } from '../critic/standard-evaluators.ts';
import { usualDetectors } from '../critic/step/usual-detectors.ts';
import { boundTools, withCompanions } from '../gateway/bound-tools.ts';
import { createGateway } from '../gateway/gateway.ts';
import { BREAKER_LIMITS } from '../gateway/limits/breakers.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { versionOf } from '../kernel/pinned-versions.ts';
import { toolTable } from '../kernel/verify/tool-table.ts';
import type { AgentSpec } from '../model/agent.ts';
import { parseAgent } from '../model/agent.ts';
import { PartialCaps, parseBudget } from '../model/budget.ts';
import { deepFreeze } from '../model/freeze.ts';
import type { Hash } from '../model/hash.ts';
import { parse } from '../model/parse.ts';
import { assertRules } from '../model/rules/category-rules.ts';
import { ToolRegistry, type ToolSpec } from '../model/tool.ts';
import { NO_METRICS, unfailing } from '../ports/metrics.ts';
import { deskOf } from '../roles/desk/open-desk.ts';
import { RETRY_POLICY } from '../roles/desk/retry.ts';
import { modelFaults, usesOf, withModelPins } from '../roles/desk/used-models.ts';
import { plainReviewer } from '../roles/plain-reviewer.ts';
import { assertPlannerTimeouts } from '../session/ask-planner.ts';
import { decisionsOf, limitsOf } from '../session/assembly/checked-options.ts';
import { emptyContext } from '../session/assembly/context-for.ts';
import { exampleFaults } from '../session/assembly/example-faults.ts';
import { gatePolicies } from '../session/assembly/gate-policies.ts';
import { assertTier, assertTopology, graphFor } from '../session/assembly/graph-for.ts';
import { highestRisk } from '../session/assembly/highest-risk.ts';
import { assertOptions } from '../session/assembly/options.ts';
import { withPlanning } from '../session/assembly/planning-mode.ts';
import { policyEngine } from '../session/assembly/policy-engine.ts';
import { faultsOf, refuseTogether } from '../session/assembly/refuse-together.ts';
import { plannersOf } from '../session/assembly/safer-planner.ts';
import { toldTo } from '../session/assembly/told-to.ts';
import { wiringFaults } from '../session/assembly/wiring.ts';
import { withPlannersTools } from '../session/assembly/with-planners-tools.ts';
import { criticOf, type RunPorts } from '../session/effects.ts';
import type { HostOptions } from '../session/host.ts';
import type { Machine } from './machine.ts';
import type { AmbitOptions } from './options.ts';
import { sealingFor, unsealable } from './sealing-for.ts';
import { NO_RULES, type Rules, type World } from './world.ts';

/** Everything that a host of this agent is made of, each part checked. */
export function assemble(given: AmbitOptions, machine: Machine): HostOptions {
  const { hash } = machine;
  assertOptions(given);
  const options = withPlanning(withPlannersTools(given));
  refuseTogether(
    faultsOf(
      () => parseAgent(options.agent),
      () => registryOf(options, hash),
      () => decisionsOf(options),
      () => limitsOf(options),
    ),
  );
  const declared = parseAgent(options.agent);
  const registry = registryOf(options, hash);
  const decisions = decisionsOf(options);
  refuseTogether([
    ...faultsOf(
      () => assertTier(declared),
      () => assertTopology(declared),
      () => graphFor(options.graph, declared, hash),
    ),
    ...wiringFaults({
      agent: declared,
      tools: registry.tools,
      decisions,
      planner: options.planner,
      judges: options.world?.judges ?? [],
    }),
    ...registry.tools.flatMap((spec) => faultsOf(() => assertRules(spec))),
  ]);
  const world = worldOf(options, declared, machine);
  const uses = usesOf(
    plannersOf(options.planner),
    [world.reviewer, world.classifier, world.drafter],
    world.judges,
    options.tools,
  );
  refuseTogether(modelFaults(world.models, uses));
  const agent = withModelPins(declared, world.models, uses);
  assertPlannerTimeouts(world.plannerTimeouts);
  refuseTogether(unsealable(agent, registry.tools, world.vault));
  const env: KernelEnv = {
    graph: graphFor(options.graph, agent, hash),
    tools: toolTable(registry.tools, new Set(agent.boundary.tools.allowed), machine.schemas()),
    catalog: new Map(decisions.map((decision) => [decision.decision_id, decision])),
    policy: policyEngine(world.policy),
    ...rubricWith(highestRisk(agent), world.judges),
    specialist: options.planner.safer !== undefined,
    detectors: detectorIds(world.policy.detectors),
    gates: gatePolicies(world.policy.gates),
    limits: limitsOf(options),
    hash,
  };
  refuseTogether(exampleFaults(env.tools));
  const { ids, journal } = world;
  return {
    pins: {
      agent,
      env,
      registry,
      catalogVersion: versionOf([...env.catalog.values()], hash),
      policyVersion: env.policy.version,
      tenantQuota: parseBudget(PartialCaps, world.policy.quota, '/world/policy/quota'),
      ...toldTo(agent, world, hash),
      plannerTimeouts: world.plannerTimeouts,
    },
    ports: portsOf(options, world, machine),
    critic: criticOf(env.rubric, standardEvaluators(world.policy.detectors, env.rubric)),
    journal,
    writer: ids.next('writer'),
    metrics: unfailing(world.metrics),
  };
}

/** What runs of this agent reach of the world. */
function portsOf(
  { planner, tools }: AmbitOptions,
  world: World & { readonly policy: Rules },
  { hash, schemas }: Machine,
): RunPorts {
  const { clock, timer, ids, reviewer, classifier, judges, drafter, models, journal } = world;
  const openDesk = deskOf({ models, retry: RETRY_POLICY, clock, timer, hash });
  const gateway = createGateway({
    ...world,
    metrics: unfailing(world.metrics),
    tools: boundTools(tools, world.services, sealingFor(tools, world.vault, schemas)),
    breakers: BREAKER_LIMITS,
    hash,
    ledger: journal,
    openDesk,
  });
  const memory = world.memory === undefined ? {} : { memory: world.memory.store };
  const vault = world.vault === undefined ? {} : { vault: world.vault };
  const { credentials } = world.services;
  const keeper = credentials === undefined ? {} : { credentials };
  const asked = { planner, reviewer, classifier, judges, drafter, ...memory, ...vault, ...keeper };
  return { ...asked, models, openDesk, switches: journal, gateway, policy: world.policy.goals, ids, clock, timer };
}

/** Frozen: planners are shown these very tools. */
function registryOf({ tools }: AmbitOptions, hash: Hash): ToolRegistry {
  const specs = withCompanions(tools)
    .map(({ spec }) => spec)
    .toSorted(byName);
  return deepFreeze(parse(ToolRegistry, { version: versionOf(specs, hash), tools: specs }, 'input_invalid'));
}

/** The same tools are the same registry, in whatever order somebody listed them. */
const byName = (a: ToolSpec, b: ToolSpec): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function worldOf(
  { store, world: given }: AmbitOptions,
  agent: AgentSpec,
  machine: Machine,
): World & { readonly policy: Rules } {
  const world = said(given);
  const policy = said(world.policy);
  const clock = world.clock ?? machine.clock;
  return {
    clock,
    timer: machine.timer,
    ids: machine.ids,
    reviewer: plainReviewer,
    classifier: null,
    judges: [],
    drafter: null,
    models: machine.models,
    infrastructure: { permits: () => ({ ok: true }) },
    files: machine.files,
    services: {},
    metrics: NO_METRICS,
    context: emptyContext(agent, clock.nowMs()),
    journal: world.journal ?? machine.openStore(store ?? 'memory'),
    plannerTimeouts: { usualMs: 30_000, byTaskClass: {} },
    ...world,
    policy: { ...NO_RULES, ...policy, detectors: usualDetectors(agent.boundary, policy.detectors) },
  };
}

/** What is given as undefined is left out: it takes nobody's place. */
const said = <T extends object>(given: Partial<T> | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
