import { assertOwnEvaluators, evaluatorIds, evaluatorsOf, newestIds } from '../critic/evaluators/own-evaluators.ts';
import { parseOwnRubric, rubricWith } from '../critic/judges/judge-specs.ts';
import { detectorIds, detectorsWithin, usualDetectors } from '../critic/step/detectors.ts';
import type { Sealing } from '../gateway/dispatch/sealing.ts';
import { createGateway } from '../gateway/gateway.ts';
import { BREAKER_LIMITS } from '../gateway/limits/breakers.ts';
import { boundTools, withCompanions } from '../gateway/tool/bound-tools.ts';
import { guardsWith, type KernelEnv, outputCheck, toolTable } from '../kernel/index.ts';
import { PartialCaps, parseBudget } from '../model/budget/budget.ts';
import { DEFAULT_LIMITS, KernelLimits } from '../model/budget/kernel-limits.ts';
import { UnitPrices } from '../model/budget/run-cost.ts';
import { DecisionSpec } from '../model/critic/decision.ts';
import { judgeId } from '../model/critic/judge.ts';
import { Fault } from '../model/fault/fault.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { type Hash, versionOf } from '../model/json/hash.ts';
import { parse, parseAt } from '../model/json/parse.ts';
import { type AgentSpec, parseAgent } from '../model/run/agent.ts';
import { assertRules } from '../model/tool/rules/category-rules.ts';
import { ToolRegistry, type ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import { ignoreErrors, NO_METRICS } from '../ports/metrics.ts';
import type { AnswerJudge, Classifier, Composer, Drafter, Reviewer } from '../ports/model/model-roles.ts';
import type { Planner } from '../ports/model/planner.ts';
import type { Vault } from '../ports/store/vault.ts';
import { createModelClient } from '../roles/client/model-client.ts';
import { RETRY_POLICY } from '../roles/client/retry.ts';
import { modelFaults, type PartUse, usesOf, usesOfPart, withModelPins } from '../roles/client/used-models.ts';
import { plainReviewer } from '../roles/model-reviewer.ts';
import type { HostOptions } from '../session/host.ts';
import { assertPlannerTimeouts } from '../session/perform/ask-planner.ts';
import { criticOf, type RunPorts } from '../session/perform/effects.ts';
import { assertOptions, withoutBroken } from './check/options.ts';
import { warnOfUnfitDefaults } from './check/unfit-defaults.ts';
import { unusableToolFaults } from './check/unusable-tools.ts';
import { collectFaults, isRecord, throwFaults } from './check/values.ts';
import { exampleFaults, wiringFaults } from './check/wiring.ts';
import { emptyContext } from './context.ts';
import { withDecisionGates } from './decision-gates.ts';
import type { Machine } from './machine.ts';
import { memoryFaults } from './memory.ts';
import type { AmbitOptions } from './options.ts';
import {
  contextPins,
  plannerCost,
  plannersOf,
  requestTimeFaults,
  withInstructionsPin,
  withPlannersTools,
  withPlanning,
} from './planning-mode.ts';
import { assertTier, assertTopology, gatePolicies, graphFor, highestRisk, policyEngine } from './rules.ts';
import { NO_RULES, type Rules, type World } from './world.ts';

/** Checks every part of an agent and assembles the options of its host. */
export function assemble(declared: AmbitOptions, machine: Machine): HostOptions {
  const input = withRoles(declared);
  const found = assertOptions(input);
  const options = withDecisionGates(withPlanning(withPlannersTools(withoutBroken(input, found))));
  const parts = declarationsOf(options, machine.hash, [...found, ...worldFaults(options)]);
  const { registry } = parts;
  const world = worldOf(options, parts.agent, machine);
  const uses: readonly PartUse[] = [
    ...usesOf(plannersOf(options.planner), [world.reviewer, world.composer, world.answerJudge]),
    ...usesOfPart('classifier', world.classifier),
    ...usesOfPart('drafter', world.drafter),
    ...world.judges.flatMap((judge) => usesOfPart(`judge:${judgeId(judge.spec)}`, judge)),
    ...options.tools.flatMap((tool) => usesOfPart(`tool:${tool.spec.name}`, tool)),
  ];
  throwFaults([
    ...modelFaults(world.models, uses),
    ...vaultFaults(parts.agent, registry.tools, world.vault),
    ...requestTimeFaults(options.planner, world.plannerTimeouts),
  ]);
  const agent = withModelPins(withInstructionsPin(parts.agent, machine.hash), world.models, uses, machine.hash);
  const env = kernelEnvOf(options, { ...parts, agent }, world, machine);
  throwFaults(exampleFaults(env.tools));
  warnOfUnfitDefaults(registry.tools, machine.schemas());
  const tenantQuota = parseBudget(PartialCaps, world.policy.quota, '/world/policy/quota');
  const { ids, journal } = world;
  const { detectors, evaluators } = world.policy;
  const criticFor: HostOptions['criticFor'] = (rubric, ids) =>
    criticOf(rubric, evaluatorsOf(detectorsWithin(detectors, ids), rubric, evaluators));
  return {
    pins: {
      agent,
      env,
      registry,
      catalogVersion: versionOf([...env.catalog.values()], machine.hash),
      policyVersion: env.policy.version,
      tenantQuota,
      ...pricesOf(world.policy),
      ...contextPins(agent, world, machine.hash),
      plannerTimeouts: world.plannerTimeouts,
    },
    ports: portsOf(options, world, machine),
    critic: criticFor(env.rubric, env.detectors),
    criticFor,
    schemas: machine.schemas,
    journal,
    writer: ids.next('writer'),
    metrics: ignoreErrors(world.metrics),
  };
}

/**
 * Merges the agent's own roles into its world. Each agent is merged separately, because a lane's worker inherits the
 * world of its parent but not its roles.
 */
function withRoles(options: AmbitOptions): AmbitOptions {
  if (options?.roles === undefined && options?.stated === undefined) return options;
  const { roles = {}, stated: _, ...rest } = options;
  return { ...rest, world: { ...rest.world, ...roles } };
}

interface Declarations {
  readonly agent: AgentSpec;
  readonly registry: ToolRegistry;
  readonly decisions: readonly DecisionSpec[];
}

/** The faults of options that depend on no other part of the agent. */
function worldFaults(options: AmbitOptions): readonly Fault[] {
  const policy = { ...NO_RULES, ...dropUndefined(options.world?.policy) };
  const limits = attempt(() => limitsOf(options));
  const timeouts = options.world?.plannerTimeouts ?? PLANNER_TIMEOUTS;
  // Timeouts of another shape are a fault already.
  const isComplete = limits !== null && isRecord(timeouts.byTaskClass);
  return collectFaults(
    () => (isComplete ? assertPlannerTimeouts(timeouts, limits.plannerTimeoutRangeMs) : undefined),
    () => parseBudget(PartialCaps, policy.quota, '/world/policy/quota'),
    () => pricesOf(policy),
    () => assertOwnEvaluators(policy.evaluators),
    () => ownJudgement(policy),
  );
}

/** Parses the agent, its tools and its decisions, and checks that they fit together. Reports `found` with the rest. */
function declarationsOf(options: AmbitOptions, hash: Hash, found: readonly Fault[]): Declarations {
  const faults = [
    ...found,
    ...collectFaults(
      () => parseAgent(options.agent),
      () => registryOf(options, hash),
      () => decisionsOf(options),
      () => limitsOf(options),
      () => gatePolicies(options.world?.policy?.gates ?? {}),
    ),
  ];
  const agent = attempt(() => parseAgent(options.agent)) ?? attempt(() => parseAgent(withUsualCaps(options.agent)));
  const registry = attempt(() => registryOf(options, hash));
  const decisions = attempt(() => decisionsOf(options));
  // A part that cannot be read fits nothing.
  if (agent === null || registry === null || decisions === null) return throwFaults(faults) as never;
  throwFaults([
    ...faults,
    ...collectFaults(
      () => assertTier(agent),
      () => assertTopology(agent),
      () => graphFor(options.graph, agent, { hash, ...ownGuards(options) }),
    ),
    ...wiringFaults({
      agent,
      tools: registry.tools,
      decisions,
      planner: options.planner,
      judges: options.world?.judges ?? [],
      suppliesContext: options.world?.context !== undefined || options.world?.memory !== undefined,
    }),
    ...registry.tools.flatMap((spec) => collectFaults(() => assertRules(spec))),
    ...unusableToolFaults(agent, registry.tools),
    ...memoryFaults(options.world?.memory),
  ]);
  return { agent, registry, decisions };
}

/** The result, or null for a fault, which another check reports. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return null;
  }
}

/** The agent without its caps, roles and scopes: a mistake in one of them does not hide mistakes of other parts. */
const withUsualCaps = (agent: AgentSpec): AgentSpec => ({
  ...agent,
  budget: { profile: 'standard', overrides: {} },
  access: { tool_scopes: {}, role_authority: {} },
});

function kernelEnvOf(
  options: AmbitOptions,
  { agent, registry, decisions }: Declarations,
  world: World & { readonly policy: Rules },
  { hash, schemas }: Machine,
): KernelEnv {
  const guards = ownGuards(options);
  return {
    graph: graphFor(options.graph, agent, { hash, ...guards }),
    ...guards,
    tools: toolTable(registry.tools, new Set(agent.boundary.tools.allowed), schemas()),
    catalog: new Map(decisions.map((decision) => [decision.decision_id, decision])),
    policy: policyEngine(world.policy),
    ...rubricWith(highestRisk(agent), world.judges, ownJudgement(world.policy)),
    evaluators: evaluatorIds(world.policy.evaluators),
    specialist: options.planner.safer !== undefined,
    detectors: detectorIds(world.policy.detectors),
    ...(agent.output === undefined ? {} : { output: outputCheck(agent.output, schemas()) }),
    gates: gatePolicies(world.policy.gates),
    limits: limitsOf(options),
    hash,
  };
}

const pricesOf = ({ prices }: Rules): { readonly prices?: UnitPrices } =>
  prices === undefined ? {} : { prices: parseAt('/world/policy/prices', UnitPrices, prices, 'budget_invalid') };

/** The evaluators of the host, and its rubric if it has one. */
function ownJudgement({ evaluators, rubric }: Rules): NonNullable<Parameters<typeof rubricWith>[2]> {
  if (rubric === undefined) return { own: newestIds(evaluators) };
  return { rubric: parseOwnRubric(rubric, evaluatorIds(evaluators)) };
}

/** The guards of the host, with the shipped ones; no field if there are none. */
const ownGuards = ({ guards }: Pick<AmbitOptions, 'guards'>): Pick<KernelEnv, 'guards'> =>
  guards === undefined ? {} : { guards: guardsWith(guards) };

function portsOf(
  { planner, tools }: AmbitOptions,
  world: World & { readonly policy: Rules },
  { hash, schemas }: Machine,
): RunPorts {
  const { clock, timer, ids, models, journal } = world;
  const { reviewer, classifier, judges, drafter, composer, answerJudge } = world;
  const openModelClient = createModelClient({ models, retry: RETRY_POLICY, clock, timer, hash });
  const gateway = createGateway({
    ...world,
    metrics: ignoreErrors(world.metrics),
    tools: boundTools(tools, { ...world.services, files: world.files }, sealingFor(tools, world.vault, schemas)),
    breakers: BREAKER_LIMITS,
    hash,
    ledger: journal,
    openModelClient: openModelClient,
  });
  const memory = world.memory === undefined ? {} : { memory: world.memory.store };
  const vault = world.vault === undefined ? {} : { vault: world.vault };
  const { credentials } = world.services;
  const keeper = credentials === undefined ? {} : { credentials };
  const roles = {
    planner,
    reviewer,
    classifier,
    judges,
    drafter,
    composer,
    answerJudge,
    ...memory,
    ...vault,
    ...keeper,
  };
  return {
    ...roles,
    models,
    openModelClient: openModelClient,
    switches: journal,
    gateway,
    policy: world.policy.goals,
    ids,
    clock,
    timer,
  };
}

/** The registry is frozen because planners receive these tool objects. */
function registryOf({ tools }: AmbitOptions, hash: Hash): ToolRegistry {
  const specs = withCompanions(tools)
    .map(({ spec }) => spec)
    .toSorted(byName);
  return deepFreeze(parse(ToolRegistry, { version: versionOf(specs, hash), tools: specs }, 'input_invalid'));
}

/** Sorts tools by name, so that the registry version does not depend on the order of declaration. */
const byName = (a: ToolSpec, b: ToolSpec): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const PLANNER_TIMEOUTS: World['plannerTimeouts'] = { usualMs: 30_000, byTaskClass: {} };

function worldOf(
  { store, world: options }: AmbitOptions,
  agent: AgentSpec,
  machine: Machine,
): World & { readonly policy: Rules } {
  const world = dropUndefined(options);
  const policy = dropUndefined(world.policy);
  const clock = world.clock ?? machine.clock;
  return {
    clock,
    timer: machine.timer,
    ids: machine.ids,
    reviewer: plainReviewer,
    classifier: null,
    judges: [],
    drafter: null,
    composer: null,
    answerJudge: null,
    models: machine.models,
    infrastructure: { permits: () => ({ ok: true }) },
    files: machine.files(),
    services: {},
    metrics: NO_METRICS,
    context: emptyContext(agent, clock.nowMs()),
    journal: world.journal ?? machine.openStore(store ?? 'memory'),
    plannerTimeouts: PLANNER_TIMEOUTS,
    ...world,
    policy: { ...NO_RULES, ...policy, detectors: usualDetectors(agent.boundary, policy.detectors) },
  };
}

/** Drops undefined options so that they do not override defaults. */
const dropUndefined = <T extends object>(values: Partial<T> | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;

function decisionsOf({ decisions = [] }: { readonly decisions?: readonly DecisionSpec[] }): readonly DecisionSpec[] {
  return decisions.map((decision, place) => parseAt(`/decisions/${place}`, DecisionSpec, decision, 'input_invalid'));
}

/** The part of the input of one question that earlier messages may take. The rest is for the task and corrections. */
const HISTORY_SHARE = 0.5;

/** The history that fits into every question of the models that read it, apart from the classifier's. */
function historyTokensMax(planner: Planner, composer: Composer | null | undefined): number {
  const readers = [...plannersOf(planner), ...(composer == null ? [] : [composer])];
  const inputs = readers.flatMap(({ uses = [], cost }) => (uses.length === 0 || cost === undefined ? [] : [cost]));
  const fitting = inputs.map(({ input_tokens }) => Math.max(1, Math.floor(HISTORY_SHARE * input_tokens)));
  return Math.min(DEFAULT_LIMITS.contextLimit, ...fitting);
}

function limitsOf({
  limits,
  planner,
  world,
}: {
  readonly limits?: Partial<KernelLimits>;
  readonly planner: Planner;
  readonly world?: {
    readonly classifier?: Classifier | null;
    readonly reviewer?: Reviewer;
    readonly drafter?: Drafter | null;
    readonly composer?: Composer | null;
    readonly answerJudge?: AnswerJudge | null;
  };
}): KernelLimits {
  const usual = {
    ...DEFAULT_LIMITS,
    plannerCost: plannerCost(planner) ?? DEFAULT_LIMITS.plannerCost,
    classifierCost: world?.classifier?.cost ?? null,
    reviewerCost: world?.reviewer?.cost ?? null,
    drafterCost: world?.drafter?.cost ?? null,
    composerCost: world?.composer?.cost ?? null,
    answerJudgeCost: world?.answerJudge?.cost ?? null,
    historyTokensMax: historyTokensMax(planner, world?.composer),
  };
  return deepFreeze(parseAt('/limits', KernelLimits, { ...usual, ...limits }, 'input_invalid'));
}

/** Gives tools of this agent access to sealed values. Returns undefined without a vault. */
function sealingFor(
  tools: readonly BoundTool[],
  vault: Vault | undefined,
  schemas: Machine['schemas'],
): Sealing | undefined {
  if (vault === undefined) return undefined;
  // Arguments are checked after all handles are opened, so the schemas must not expect handles.
  const opened = tools.map(({ spec }) => {
    const { privacy: _, ...plain } = spec;
    return plain;
  });
  const table = toolTable(opened, new Set(), schemas());
  return { vault, problems: (tool, args) => table.checkArguments(tool, args) };
}

/** Requires a vault if any value is declared secret or personal, so that no such value is stored in plain text. */
function vaultFaults(
  { name, sealed_inputs = [] }: AgentSpec,
  tools: readonly ToolSpec[],
  vault: Vault | undefined,
): readonly Fault[] {
  if (vault !== undefined) return [];
  const declared = tools.filter(({ privacy }) => privacy !== undefined).map((tool) => tool.name);
  const who = sealed_inputs.length > 0 ? [`${name} (sealedInputs)`, ...declared] : declared;
  if (who.length === 0) return [];
  const message = `${who.join(', ')}: secret or personal values need a vault: set world.vault, such as vaults.inFile('vault.db')`;
  return [new Fault('input_missing', message, { path: '/world/vault' })];
}
