import { knownModels } from './adapters/ai-sdk/known-models.ts';
import { ajvSchemaCheck } from './adapters/ajv/ajv-schema-check.ts';
import { memoryJournal } from './adapters/memory/memory-journal.ts';
import { memoryKeys } from './adapters/memory/memory-keys.ts';
import { memoryStore } from './adapters/memory/memory-store.ts';
import { readPack } from './adapters/node/context-pack.ts';
import { ed25519, newKeyPair, signText } from './adapters/node/ed25519.ts';
import { fileKeys } from './adapters/node/file-keys.ts';
import { randomIds } from './adapters/node/random-ids.ts';
import { sha256 } from './adapters/node/sha256.ts';
import { systemClock } from './adapters/node/system-clock.ts';
import { systemTimer } from './adapters/node/system-timer.ts';
import { workspaceFiles } from './adapters/node/workspace-files.ts';
import { sqliteJournal } from './adapters/sqlite/sqlite-journal.ts';
import { sqliteMemory } from './adapters/sqlite/sqlite-memory.ts';
import { detectorIds } from './critic/detector-ids.ts';
import { rubricWith } from './critic/judges/judge-specs.ts';
import { standardEvaluators } from './critic/standard-evaluators.ts';
import type { Detector } from './critic/step/safety.ts';
import { usualDetectors } from './critic/step/usual-detectors.ts';
import { approversOf } from './gates/approvers.ts';
import { type Inbox, type InboxFilter, readInbox } from './gates/inbox.ts';
import { boundTools, type ToolServices, withCompanions } from './gateway/bound-tools.ts';
import { createGateway } from './gateway/gateway.ts';
import { BREAKER_LIMITS, type BreakerReading } from './gateway/limits/breakers.ts';
import type { KernelEnv } from './kernel/env.ts';
import type { StandardGraphName } from './kernel/graph/standard-graphs.ts';
import { versionOf } from './kernel/pinned-versions.ts';
import { type CompileSchema, toolTable } from './kernel/verify/tool-table.ts';
import type { PolicyEngine } from './kernel/verify/verify-context.ts';
import { type AgentSpec, parseAgent } from './model/agent.ts';
import { PartialCaps, parseBudget } from './model/budget.ts';
import type { CompiledContext } from './model/context.ts';
import type { ContextPack, ContextSources } from './model/context-pack.ts';
import type { DecisionSpec } from './model/decision.ts';
import { Fault } from './model/fault.ts';
import type { Frame } from './model/frame.ts';
import { deepFreeze } from './model/freeze.ts';
import type { GatePolicy } from './model/gate.ts';
import type { GraphSpec } from './model/graph.ts';
import type { Handoff } from './model/handoff.ts';
import type { Hash } from './model/hash.ts';
import type { Identity } from './model/identity.ts';
import type { KernelLimits } from './model/kernel-limits.ts';
import { parse } from './model/parse.ts';
import type { PolicyDifference } from './model/policy-decision.ts';
import { assertRules } from './model/rules/category-rules.ts';
import { ToolRegistry, type ToolSpec } from './model/tool.ts';
import type { Transcript } from './model/transcript.ts';
import type { ApproverOptions } from './ports/approvers.ts';
import type { Authorizer } from './ports/authorizer.ts';
import type { BoundTool } from './ports/bound-tool.ts';
import type { Classifier } from './ports/classifier.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Infrastructure } from './ports/infrastructure.ts';
import type { Journal } from './ports/journal.ts';
import type { Judge } from './ports/judge.ts';
import type { KeyTools } from './ports/keys.ts';
import type { Models } from './ports/language-model.ts';
import type { MemoryStores } from './ports/memory-store.ts';
import type { Planner } from './ports/planner.ts';
import type { Policy } from './ports/policy.ts';
import type { Reviewer } from './ports/reviewer.ts';
import type { Timer } from './ports/timer.ts';
import type { WorkspaceFiles } from './ports/workspace-files.ts';
import { auditRecordOf } from './record/audit-record.ts';
import { handoffOf } from './record/handoff.ts';
import { auditTrace, type Incident } from './record/incidents.ts';
import { assertLineage, type ModelExchange, modelExchanges } from './record/model-exchanges.ts';
import { type PhaseRecord, phasesOf } from './record/phases.ts';
import { transcriptsOf } from './record/transcripts.ts';
import { type ReplayEnv, type Replayed, replayRun } from './replay/replay.ts';
import { shadowRun } from './replay/shadow.ts';
import { deskOf } from './roles/desk/open-desk.ts';
import { RETRY_POLICY } from './roles/desk/retry.ts';
import { modelFaults, usesOf, withModelPins } from './roles/desk/used-models.ts';
import { type ModelProfiles, modelProfiles } from './roles/model-profile.ts';
import { plainReviewer } from './roles/plain-reviewer.ts';
import { type PlanFirstOptions, planFirstWith } from './roles/plan-first.ts';
import { type ReactiveOptions, reactiveWith } from './roles/reactive.ts';
import { assertPlannerTimeouts, type PlannerTimeouts } from './session/ask-planner.ts';
import { decisionsOf, limitsOf } from './session/assembly/checked-options.ts';
import { emptyContext } from './session/assembly/context-for.ts';
import { gatePolicies } from './session/assembly/gate-policies.ts';
import { assertTier, graphFor } from './session/assembly/graph-for.ts';
import { highestRisk } from './session/assembly/highest-risk.ts';
import type { MemoryOptions } from './session/assembly/memory-for.ts';
import { assertOptions } from './session/assembly/options.ts';
import { partsOf } from './session/assembly/parts-of.ts';
import { withPlanning } from './session/assembly/planning-mode.ts';
import { policyEngine } from './session/assembly/policy-engine.ts';
import { faultsOf, refuseTogether } from './session/assembly/refuse-together.ts';
import { plannersOf } from './session/assembly/safer-planner.ts';
import { toldTo } from './session/assembly/told-to.ts';
import { wiringFaults } from './session/assembly/wiring.ts';
import { withPlannersTools } from './session/assembly/with-planners-tools.ts';
import type { Agent } from './session/declare/agent.ts';
import { criticOf } from './session/effects.ts';
import { createHost, type HostOptions } from './session/host.ts';
import { type KillSwitchDesk, killSwitchDesk } from './session/kill-switches.ts';
import { runReader } from './session/read-run.ts';
import { assertRecordedContext, recordedEnv } from './session/recorded.ts';
import { createRuntime, type Runtime } from './session/runtime.ts';
import { scratchpads } from './session/scratchpads.ts';
import { type RecordDoors, recordDoors } from './session/state/record-doors.ts';
import { assertCheckpoints } from './session/stored-checkpoints.ts';
import { type TenantDoor, tenantDoor } from './session/tenants/tenant-door.ts';

export { decisionsFrom } from './adapters/node/decision-file.ts';

export interface AmbitOptions {
  readonly agent: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
  readonly decisions?: readonly DecisionSpec[];
  readonly graph?: StandardGraphName | GraphSpec;
  /** `memory`, or `sqlite:` and a file. */
  readonly store?: 'memory' | `sqlite:${string}`;
  readonly limits?: Partial<KernelLimits>;
  readonly world?: Partial<World>;
}

/** The same for an agent that `agent()` declared: it brings its tools, its planner and its decisions along. */
export type AgentRuntimeOptions = Omit<AmbitOptions, 'agent' | 'tools' | 'planner' | 'decisions'> & {
  readonly agent: Agent;
};

/** What usually comes with the machine. A test brings its own. */
export interface World {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly reviewer: Reviewer;
  /** Reads requests that could mean several things, such as a `modelClassifier`. Without one the user is asked. */
  readonly classifier: Classifier | null;
  /** Models that judge steps and runs besides the Critic's own rules, such as a `modelJudge`. */
  readonly judges: readonly Judge[];
  /** How models are reached, what they cost, how long a text is to them. */
  readonly models: Models;
  readonly policy: Partial<Rules>;
  /** What runs are told: packs that `contextPack` has read, or a context that somebody else has compiled. */
  readonly context: CompiledContext | ContextSources;
  /** What is remembered across runs, and of what. Without it nothing is. */
  readonly memory?: MemoryOptions;
  readonly journal: Journal;
  readonly plannerTimeouts: PlannerTimeouts;
  /** What the machinery under the tools permits. Without one it permits everything that the layers above do. */
  readonly infrastructure: Infrastructure;
  /** Where the paths of file-system tools really lead. */
  readonly files: WorkspaceFiles;
  /** What the code of tools may ask for: credentials, and a log. */
  readonly services: ToolServices;
}

/** What holds for every run, whoever asks for it. */
export interface Rules {
  readonly goals: Policy;
  readonly plans: PolicyEngine;
  /** Decides about every call when its plan is verified and again before it is sent, such as a `cedarAuthorizer`. */
  readonly calls?: Authorizer;
  /** Asked beside `calls` before a call is sent. Where it differs that is on record, and nothing else comes of it. */
  readonly candidate?: Authorizer;
  /** The most that one run of this tenant may spend. It can only lower what the agent's own budget says. */
  readonly quota: PartialCaps;
  /** Rules that recognise something dangerous in what a step sent or brought back. */
  readonly detectors: readonly Detector[];
  /** Who decides the gates of a name, how many of them it takes, and how long they have. */
  readonly gates: Readonly<Record<string, Partial<GatePolicy>>>;
  /** How it is established who decides a gate. Without either, whoever runs the process is believed. */
  readonly approvers?: ApproverOptions;
}

export interface Ambit extends Runtime, RecordDoors {
  /** Takes every turn of a run again from its journal alone; a Fault names the first thing that comes out differently. */
  replay(runId: string): Promise<Replayed>;
  /** What other policies would have ruled otherwise in this run, from its journal alone. */
  shadow(runId: string, candidate: Authorizer): Promise<readonly PolicyDifference[]>;
  /** Looks for calls on record that lacked an approval. Each is an incident, and its tool is stopped for this agent. */
  audit(runId: string): Promise<readonly Incident[]>;
  frames(runId: string): Promise<readonly Frame[]>;
  /** The phases the run went through so far, with what each handed on. */
  phases(runId: string): Promise<readonly PhaseRecord[]>;
  /** What was sent and what came back, call by call. */
  transcripts(runId: string): Promise<readonly Transcript[]>;
  /** What models were asked and what they said, word for word, request by request. */
  exchanges(runId: string): Promise<readonly ModelExchange[]>;
  /** All that goes with the authority over a run that was handed over; null for a run that never was. */
  handoff(runId: string): Promise<Handoff | null>;
  /** What waits for people: alike things together, each with what is new about it. */
  pending(filter?: InboxFilter): Promise<Inbox>;
  /** Tools that failed lately, tenant by tenant, and whether they are called at the moment. */
  breakers(): readonly BreakerReading[];
  /** Stops all calls of a tenant, an agent or a tool, reads and probes included, in every process on the same store. */
  readonly killSwitches: KillSwitchDesk;
  /** The same for one tenant alone, as the host has established who asks: nothing of anybody else's can be reached. */
  within(identity: Identity): TenantDoor<Ambit>;
}

const NO_RULES: Rules = Object.freeze({
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: 'no_rules@1', invariants: () => [] },
  quota: {},
  detectors: [],
  gates: {},
});

/** Puts an agent, its tools and a store together. Whatever is wrong with them is said here, before anything runs. */
export function ambit(declared: AmbitOptions | AgentRuntimeOptions): Ambit {
  const options = partsOf<AmbitOptions>(declared);
  const parts = assemble(options);
  const { critic, journal } = parts;
  const { frames, events: eventsOf } = runReader(journal);
  // Who decides is for keys and for the host's own authenticator to establish; the machine brings neither.
  const { keys = null, authenticator = null, operatorRole } = options.world?.policy?.approvers ?? {};
  const approvers = approversOf({ keys, authenticator, signatures: ed25519, clock: parts.ports.clock });
  const ports = { ...parts.ports, pads: scratchpads() };
  const host = createHost({ ...parts, ports, isRevoked: approvers.isRevoked });
  const runtime = createRuntime(host, journal, approvers, ports.clock);
  const whole: Ambit = {
    ...runtime,
    frames,
    phases: async (runId) => phasesOf(await eventsOf(runId)),
    transcripts: async (runId) => transcriptsOf(runId, await eventsOf(runId)),
    exchanges: async (runId) => await modelExchanges(journal, await eventsOf(runId)),
    handoff: async (runId) => handoffOf(runId, await eventsOf(runId), (await runtime.outcome(runId)).verdict),
    pending: (filter) => readInbox(journal, ports.clock.nowMs(), filter),
    breakers: () => ports.gateway.breakers(),
    ...recordDoors({
      ...ports,
      ...runtime,
      journal,
      approvers,
      frames,
      look: host.look,
      transcripts: transcriptsOf,
      audit: auditRecordOf,
      hash: sha256,
    }),
    killSwitches: killSwitchDesk({ journal, approvers, clock: ports.clock, ids: ports.ids, operatorRole }),
    audit: async (runId) => await auditTrace(parts, runId, await eventsOf(runId)),
    shadow: async (runId, candidate) => shadowRun({ env: parts.pins.env, critic }, await frames(runId), candidate),
    replay: async (runId) => {
      const env = await recordedEnv(journal, parts.pins.env, ajvSchemaCheck().compile, await eventsOf(runId));
      const replayed = replayRun({ env, critic }, await frames(runId));
      await assertCheckpoints(journal, replayed.turns);
      await assertRecordedContext(journal, await eventsOf(runId));
      await assertLineage(journal, await eventsOf(runId), plannersOf(options.planner));
      return replayed;
    },
    within: (identity) => tenantDoor(whole, identity, { journal, clock: ports.clock }),
  };
  return whole;
}

/** Keys of the people who decide: where they are kept, and the person's own side of them. */
export const keyTools: KeyTools = { inMemory: memoryKeys, inFile: fileKeys, newPair: newKeyPair, sign: signText };

/** Where memories are kept: for as long as the process lasts, or in a SQLite file of their own. */
export const memoryStores: MemoryStores = { inMemory: () => memoryStore(), inFile: sqliteMemory };

/** Reads a context pack, or a snapshot, from its folder. */
export const contextPack: (folder: string) => ContextPack = (folder) => readPack(folder, sha256);

/** How a model is used: what planners, judges and the like are given. Prices are those of the table, or your own. */
export const modelProfile: ModelProfiles = modelProfiles(knownModels);

export const planFirst: (options: PlanFirstOptions) => Planner = planFirstWith(modelProfile);

/** A planner that decides one step, sees what came of it, and decides again. */
export const reactive: (options: ReactiveOptions) => Planner = reactiveWith(modelProfile);

/** What every run is hashed, checked and replayed with, for whoever builds on the same: the simulator takes these. */
export interface Machinery {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly replay: (pinned: ReplayEnv, frames: readonly Frame[]) => Replayed;
}

export function machinery(): Machinery {
  return { hash: sha256, compileSchema: ajvSchemaCheck().compile, replay: replayRun };
}

/** Everything that a host of this agent is made of, each part checked. */
export function assemble(given: AmbitOptions): HostOptions {
  assertOptions(given);
  const options = withPlanning(withPlannersTools(given));
  refuseTogether(
    faultsOf(
      () => parseAgent(options.agent),
      () => registryOf(options),
      () => decisionsOf(options),
      () => limitsOf(options),
    ),
  );
  const declared = parseAgent(options.agent);
  const registry = registryOf(options);
  const decisions = decisionsOf(options);
  refuseTogether([
    ...faultsOf(
      () => assertTier(declared),
      () => graphFor(options.graph, declared, sha256),
    ),
    ...wiringFaults({ agent: declared, tools: registry.tools, decisions, planner: options.planner }),
    ...registry.tools.flatMap((spec) => faultsOf(() => assertRules(spec))),
  ]);
  const world = worldOf(options, declared);
  const uses = usesOf(plannersOf(options.planner), [world.reviewer, world.classifier], world.judges, options.tools);
  refuseTogether(modelFaults(world.models, uses));
  const agent = withModelPins(declared, world.models, uses);
  assertPlannerTimeouts(world.plannerTimeouts);
  const env: KernelEnv = {
    graph: graphFor(options.graph, agent, sha256),
    tools: toolTable(registry.tools, new Set(agent.boundary.tools.allowed), ajvSchemaCheck().compile),
    catalog: new Map(decisions.map((decision) => [decision.decision_id, decision])),
    policy: policyEngine(world.policy),
    ...rubricWith(highestRisk(agent), world.judges),
    specialist: options.planner.safer !== undefined,
    detectors: detectorIds(world.policy.detectors),
    gates: gatePolicies(world.policy.gates),
    limits: limitsOf(options),
    hash: sha256,
  };
  const { clock, timer, ids, reviewer, journal } = world;
  return {
    pins: {
      agent,
      env,
      registry,
      catalogVersion: versionOf([...env.catalog.values()], sha256),
      policyVersion: env.policy.version,
      tenantQuota: parseBudget(PartialCaps, world.policy.quota),
      ...toldTo(agent, world, sha256),
      plannerTimeouts: world.plannerTimeouts,
    },
    ports: {
      planner: options.planner,
      models: world.models,
      switches: journal,
      gateway: createGateway({
        ...world,
        tools: boundTools(options.tools, world.services),
        breakers: BREAKER_LIMITS,
        hash: sha256,
        ledger: journal,
        openDesk: deskOf({ models: world.models, retry: RETRY_POLICY, clock, timer, hash: sha256 }),
      }),
      policy: world.policy.goals,
      reviewer,
      ...(world.memory === undefined ? {} : { memory: world.memory.store }),
      classifier: world.classifier,
      judges: world.judges,
      ids,
      clock,
      timer,
    },
    critic: criticOf(env.rubric, standardEvaluators(world.policy.detectors, env.rubric)),
    journal,
    writer: ids.next('writer'),
  };
}

/** Frozen: planners are shown these very tools. */
function registryOf({ tools }: AmbitOptions): ToolRegistry {
  const specs = withCompanions(tools)
    .map(({ spec }) => spec)
    .toSorted(byName);
  return deepFreeze(parse(ToolRegistry, { version: versionOf(specs, sha256), tools: specs }, 'input_invalid'));
}

/** The same tools are the same registry, in whatever order somebody listed them. */
const byName = (a: ToolSpec, b: ToolSpec): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function worldOf({ store, world }: AmbitOptions, agent: AgentSpec): World & { readonly policy: Rules } {
  const clock = world?.clock ?? systemClock;
  return {
    clock,
    timer: systemTimer,
    ids: randomIds,
    reviewer: plainReviewer,
    classifier: null,
    judges: [],
    models: knownModels,
    infrastructure: { permits: () => ({ ok: true }) },
    files: workspaceFiles,
    services: {},
    context: emptyContext(agent, clock.nowMs()),
    journal: world?.journal ?? openStore(store ?? 'memory'),
    plannerTimeouts: { usualMs: 30_000, byTaskClass: {} },
    ...world,
    policy: { ...NO_RULES, ...world?.policy, detectors: usualDetectors(agent.boundary, world?.policy?.detectors) },
  };
}

function openStore(store: NonNullable<AmbitOptions['store']>): Journal {
  if (store === 'memory') return memoryJournal({ hash: sha256 });
  const path = store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : '';
  if (path === '') throw new Fault('input_invalid', `store "${store}": use "memory" or "sqlite:<file>"`);
  return sqliteJournal({ path, hash: sha256 });
}
