import type { EvaluatorTable } from '../critic/evaluator-table.ts';
import { judgeRun, judgeStep } from '../critic/judge.ts';
import { verifyObservation } from '../critic/verify-observation.ts';
import type { Dispatch } from '../gateway/call-tool.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Look } from '../gateway/probes.ts';
import { checkPolicy } from '../intake/check-policy.ts';
import { classifyIntent } from '../intake/classify-intent.ts';
import { type RunTerms, runsUnder } from '../intake/init-run.ts';
import { receiveGoal } from '../intake/receive-goal.ts';
import { resolveScope } from '../intake/resolve-scope.ts';
import { lowerCaps } from '../intake/run-caps.ts';
import { longestVerdictGapMs } from '../intake/verdict-gap.ts';
import { boundParts } from '../kernel/bound-parts.ts';
import { callCap } from '../kernel/call-cap.ts';
import { keptFor } from '../kernel/degrade.ts';
import type { Critic, Derived } from '../kernel/derive.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { questionPacket } from '../kernel/handover-packet.ts';
import { barredByFamily } from '../kernel/lanes/doubted.ts';
import { narrowedTo } from '../kernel/lanes/in-lane.ts';
import { presented } from '../kernel/presented.ts';
import { toolsBehind } from '../kernel/real-tools.ts';
import { directAnswer } from '../kernel/required-reasoning.ts';
import { ruleOnWhole } from '../kernel/rule-on-whole.ts';
import type { RunState } from '../kernel/state.ts';
import type { AgentSpec } from '../model/agent.ts';
import { type Blob, toBlob } from '../model/blob.ts';
import type { PartialCaps } from '../model/budget.ts';
import { canonicalize } from '../model/canonical.ts';
import type { CompiledContext } from '../model/context.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Goal } from '../model/goal.ts';
import type { SecurityToken } from '../model/identity.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import type { Rubric } from '../model/rubric.ts';
import { NO_COST, type ToolRegistry } from '../model/tool.ts';
import { visibleItems } from '../model/visible-context.ts';
import { answerTime } from '../ports/answer-time.ts';
import type { Classifier } from '../ports/classifier.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialBroker } from '../ports/credentials.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Ids } from '../ports/ids.ts';
import type { Judge } from '../ports/judge.ts';
import type { KillSwitches } from '../ports/kill-switches.ts';
import type { Models, OpenDesk } from '../ports/language-model.ts';
import type { MemoryStore } from '../ports/memory-store.ts';
import type { Planner } from '../ports/planner.ts';
import type { Policy } from '../ports/policy.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import type { Timer } from '../ports/timer.ts';
import type { Caller } from '../ports/tools.ts';
import type { Vault } from '../ports/vault.ts';
import { type MemoryTerms, proposeMemory } from '../record/consolidate.ts';
import { compileResponse } from '../record/respond.ts';
import { askClassifier } from './ask-classifier.ts';
import { askDrafter } from './ask-drafter.ts';
import { askJudges } from './ask-judges.ts';
import { askPlanner, longestPlannerTimeout, type PlannerTimeouts, plannerTimeout } from './ask-planner.ts';
import { askForCompression, askForReflection } from './ask-reviewer.ts';
import { clearCall, clearLook } from './clearing.ts';
import { type LanePort, NO_LANES } from './lanes/lane-port.ts';
import { workersOf } from './lanes/workers-of.ts';
import { memorable, writeMemory } from './memory/write-memory.ts';
import type { LocalPerformers, OutsidePerformers } from './performers.ts';
import { recordedWith, sameFor } from './recorded-with.ts';
import { revokeCredentials } from './revoke-credentials.ts';
import type { RunContexts } from './run-contexts.ts';
import { type Scratchpads, scratchpads } from './scratchpads.ts';
import { shownItems } from './shown-context.ts';
import { stoppedBy } from './stopped-by.ts';

/** What a run is pinned to, beyond the kernel's own environment. */
export interface RunPins {
  readonly agent: AgentSpec;
  readonly env: KernelEnv;
  readonly registry: ToolRegistry;
  readonly catalogVersion: string;
  readonly policyVersion: string;
  readonly tenantQuota: PartialCaps;
  readonly context: CompiledContext;
  /** What the context was compiled from, as it is stored. */
  readonly contextParts?: readonly Blob[];
  readonly plannerTimeouts: PlannerTimeouts;
  /** What of a run is worth remembering. Left out where there is nothing to remember it with. */
  readonly memory?: MemoryTerms;
}

/** What a run reaches of the world, each through its port. */
export interface RunPorts {
  readonly planner: Planner;
  readonly models: Models;
  /** Where planners, reviewers, judges and the like ask models: one for all of them, and for tools. */
  readonly openDesk: OpenDesk;
  readonly gateway: Gateway;
  readonly switches: Pick<KillSwitches, 'killSwitches'>;
  readonly policy: Policy;
  readonly reviewer: Reviewer;
  readonly memory?: MemoryStore;
  /** Where what is secret or personal is kept; left out where nothing is. */
  readonly vault?: Vault;
  /** Where models keep notes; a place of its own where nobody else looks into it. */
  readonly pads?: Scratchpads;
  /** Reads requests that could mean several things; null where the user is asked at once. */
  readonly classifier: Classifier | null;
  readonly judges: readonly Judge[];
  /** Writes what plans leave open of their steps' arguments; left out where they may leave nothing open. */
  readonly drafter?: Drafter | null;
  /** Where the credentials of a run are revoked. */
  readonly credentials?: Pick<CredentialBroker, 'revoke'>;
  /** Who runs the lanes that runs open; left out where they open none. */
  readonly lanes?: LanePort;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** The critic's room, as the kernel asks it. */
export function criticOf(rubric: Rubric, evaluators: EvaluatorTable): Critic {
  return {
    verifyObservation,
    judgeStep: (facts) => judgeStep(rubric, evaluators, facts),
    judgeRun: (facts) => judgeRun(rubric, evaluators, facts),
  };
}

/** The first event of a run, made from a stranger's request; a bad one is refused here and leaves no trace. */
export function arrival(
  pins: RunPins,
  ports: RunPorts,
  request: unknown,
): Extract<EventBody, { type: 'goal_received' }> {
  const { dispatchWindowMs, retryBaseMs } = pins.env.limits;
  const pace = { dispatchWindowMs, retryBaseMs, plannerTimeoutMs: longestPlannerTimeout(pins.plannerTimeouts) };
  // Judges, and the stronger ones after them, are asked between a commit and its verdict.
  const judgedMs = 2 * Math.max(0, ...ports.judges.map(answerTime));
  const draftedMs = ports.drafter == null ? 0 : answerTime(ports.drafter);
  const verdictGapMs = longestVerdictGapMs(pins.registry.tools, pace) + judgedMs + draftedMs;
  return receiveGoal(request, pins.agent, { ids: ports.ids, now: ports.clock.nowMs(), verdictGapMs });
}

/** Every effect that a room answers on the spot. The only place where the loop knows the rooms. */
export function localPerformers(
  pins: RunPins,
  ports: RunPorts,
  contexts: Pick<RunContexts, 'of'> = sameFor(pins),
): LocalPerformers {
  const { agent, registry, env } = pins;
  const terms = termsOf(pins);
  const initRun = runsUnder(terms);
  return {
    classify_intent: (state) => plain(classifyIntent({ goal: goalOf(state), agent })),
    resolve_scope: (state) => {
      const { identity } = state.intake;
      const wanted = state.intake.goal?.data_scopes ?? [];
      const opened = state.intake.opened ?? [];
      const { tenantId } = state.id;
      const asked = { identity, tenantId, agent, tools: registry, now: state.now, wanted, opened };
      return plain(inItsLane(state, resolveScope(asked)));
    },
    check_policy: (state) => plain(checkPolicy({ goal: goalOf(state), token: tokenOf(state), policy: ports.policy })),
    init_run: (state) => {
      const { id, seat, now } = state;
      const told = contexts.of(state);
      const run = { id: id.runId, token: tokenOf(state), now, context: told.context };
      const init = seat === undefined ? initRun : runsUnder(inLane(terms, seat.caps));
      return recordedWith(pins, told, init(run));
    },
    clear_step: (state, effect) =>
      plain(barredBelow(pins, ports, state, effect) ?? clearCall(pins, ports.gateway.layers, state, effect)),
    propose_compensation: (_state, effect) => plain(ports.gateway.compensation(effect, env.tools.get(effect.tool))),
    compile_response: (state) => {
      const { evidenceByType, disputed } = state.work;
      return plain(
        compileResponse(goalOf(state), evidenceByType, disputed, directAnswer(state), presented(env, state)),
      );
    },
    propose_memory: (state) => plain(proposeMemory(memorable(state), pins.memory ?? null)),
  };
}

/** Every effect that only the world answers. */
export function outsidePerformers(
  pins: RunPins,
  ports: RunPorts,
  contexts: Pick<RunContexts, 'of'> = sameFor(pins),
): OutsidePerformers {
  const { planner, models, openDesk, clock, timer } = ports;
  const { env } = pins;
  const { pads = scratchpads() } = ports;
  const call = { planner, tools: pins.registry.tools, env, clock, timer, openDesk, pads };
  const review = {
    reviewer: ports.reviewer,
    openDesk,
    allowance: env.limits.reviewerCost ?? env.limits.plannerCost,
    models,
    clock,
    timer,
  };
  return {
    read_intent: (state, effect, { recall }) => {
      const { classifier } = ports;
      const allowance = env.limits.classifierCost;
      if (classifier === null || allowance === null) throw new Fault('internal', 'nobody reads requests here');
      const reader = { classifier, allowance, openDesk, clock, timer };
      return askClassifier(reader, goalOf(state), pins.agent.intents, effect, recall.signal);
    },
    draft_arguments: (state, effect, { recall }) =>
      askDrafter({ drafter: ports.drafter ?? null, env, openDesk, clock, timer }, state, effect, recall.signal),
    reconcile_call: (state, effect, way) => ports.gateway.reconcile(lookAt(pins, ports, state, effect), way),
    probe_step: (state, effect, way) => ports.gateway.verify(lookAt(pins, ports, state, effect), effect.result, way),
    propose_plan: async (state, effect, { recall }) => {
      const taskClass = pins.agent.intents.find(({ intent }) => intent === state.intake.intent)?.task_class;
      const timeoutMs = plannerTimeout(pins.plannerTimeouts, taskClass);
      return await askPlanner({ ...call, timeoutMs, context: shown(pins, contexts, state) }, state, effect, recall);
    },
    call_tool: (state, effect, { recall, hearLate }) =>
      ports.gateway.call(dispatchOf(pins, ports, state, effect), recall, hearLate),
    spawn_lane: (state, effect, { recall }) => (ports.lanes ?? NO_LANES).spawn(state, effect, recall.signal),
    end_lane: (state, effect) => (ports.lanes ?? NO_LANES).end(state, effect),
    ask_user: async (state, effect) => {
      const packet = toBlob(canonicalize(questionPacket(state, effect) as unknown as Json), pins.env.hash);
      const { question_id, fields, readings } = effect;
      const event = { type: 'question_asked', question_id, fields, readings, packet_hash: packet.address } as const;
      return { event, blobs: [packet] };
    },
    reflect: (state, effect, { recall }) => askForReflection(review, state, effect, recall.signal),
    ask_judges: (state, effect, { recall }) =>
      askJudges({ judges: ports.judges, openDesk, clock, timer }, state, effect, recall.signal),
    revoke_credentials: (state, effect, { recall }) =>
      revokeCredentials({ credentials: ports.credentials, clock, timer }, state, effect, recall.signal),
    write_memory: (_state, { entries }) => writeMemory(ports.memory, entries),
    compress_context: (state, _effect, { recall }) => {
      const beside = { items: shown(pins, contexts, state).items, notes: pads.of(state).notes() };
      return askForCompression(review, state, beside, recall.signal);
    },
  };
}

/** A planner reads only what this identity may see, and only while it is fresh. */
function shown({ agent }: RunPins, contexts: Pick<RunContexts, 'of'>, state: RunState): CompiledContext {
  const { context } = contexts.of(state);
  const visible = visibleItems(context, { token: tokenOf(state), boundary: agent.boundary, now: state.now });
  const items = shownItems(state, visible);
  return items.length === context.items.length ? context : { ...context, items };
}

function lookAt(
  pins: RunPins,
  { gateway, switches }: RunPorts,
  state: RunState,
  effect: EffectOf<'probe_step'> | EffectOf<'reconcile_call'>,
): Look {
  const { env } = pins;
  const { tools } = env;
  const { call, probe } = effect;
  const behind = (args: JsonObject): readonly string[] => toolsBehind(env, { tool: probe, args });
  return {
    call,
    probeName: probe,
    probe: tools.get(probe),
    run: callerOf(pins, state, probe),
    notBefore: effect.kind === 'reconcile_call' ? effect.not_before : 0,
    clear: clearLook(pins, gateway.layers, state, effect),
    behind: (args) => behind(args).map((tool) => ({ tool, limits: tools.get(tool)?.limits })),
    stoppedBy: (args) => stoppedBy(switches, workingAs(pins, state), [probe, ...behind(args)]),
    checkAnswer: (answer) => tools.checkOutput(probe, answer),
    checkResult: (result) => tools.checkOutput(call.tool, result),
    ruleOn: (raw, aside) => ruleOnWhole(verifyObservation, env, call, state.now, raw, aside),
    bound: () => boundParts(state, call.step_id),
  };
}

function dispatchOf(
  pins: RunPins,
  { switches, clock }: RunPorts,
  state: RunState,
  { call, mode, behind, timeout_ms, not_before, dispatch_before, cached }: EffectOf<'call_tool'>,
): Dispatch {
  const { env } = pins;
  const spec = env.tools.get(call.tool);
  return {
    call,
    cost: spec?.cost ?? NO_COST,
    limits: spec?.limits,
    behind: behind.map((tool) => ({ tool, limits: env.tools.get(tool)?.limits })),
    run: callerOf(pins, state, call.tool),
    timeoutMs: timeout_ms,
    notBefore: not_before,
    dispatchBefore: dispatch_before,
    once: mode !== 'read_only',
    ruleOn: (raw, aside) => ruleOnWhole(verifyObservation, env, call, clock.nowMs(), raw, aside),
    bound: () => boundParts(state, call.step_id),
    callsMax: callCap(state),
    cached,
    keep: cached === undefined ? keptFor(env, state, call.tool) : undefined,
    stoppedBy: () => stoppedBy(switches, workingAs(pins, state), [call.tool, ...behind]),
  };
}

/** Under which names the run can be stopped. */
const workingAs = ({ agent }: RunPins, state: RunState): Parameters<typeof stoppedBy>[1] => ({
  agent: agent.name,
  workers: workersOf(state),
  tenant: state.id.tenantId,
});

/** The identity for which the run acts, with no more than the tool asks for. */
function callerOf({ agent }: RunPins, state: RunState, tool: string): Caller {
  const { runId, tenantId } = state.id;
  return { runId, tenantId, actor: tokenOf(state).actor, scopes: own(agent.access.tool_scopes, tool) ?? [tool] };
}

/** What another run of its family has out, a lane does not send as well. */
function barredBelow(
  { env }: RunPins,
  { lanes }: RunPorts,
  state: RunState,
  effect: EffectOf<'clear_step'>,
): EventBody | null {
  if (state.seat === undefined || lanes === undefined) return null;
  return barredByFamily(env, effect, (call) => lanes.outElsewhere(state, call));
}

/** A lane has no more rights than its parent has left it. */
function inItsLane({ seat }: RunState, resolved: ReturnType<typeof resolveScope>): EventBody {
  if (seat === undefined || resolved.token === null) return resolved;
  return { ...resolved, token: narrowedTo(seat, resolved.token) };
}

const plain = (event: EventBody): Derived => ({ event, blobs: [] });

function termsOf({ agent, env, registry, catalogVersion, policyVersion, tenantQuota }: RunPins): RunTerms {
  const { graph, rubric, detectors } = env;
  return {
    agent,
    graph: { hash: graph.hash, tier: graph.spec.tier },
    versions: { registry: registry.version, catalog: catalogVersion, policy: policyVersion },
    rubric,
    detectors,
    tenantQuota,
  };
}

/** A lane may spend no more than its parent has left it. */
const inLane = (terms: RunTerms, caps: PartialCaps): RunTerms => ({
  ...terms,
  tenantQuota: lowerCaps(terms.tenantQuota, caps),
});

function goalOf(state: RunState): Goal {
  if (state.intake.goal === null) throw new Fault('input_missing', 'the run has no goal');
  return state.intake.goal;
}

function tokenOf(state: RunState): SecurityToken {
  if (state.intake.token === null) throw new Fault('permission_denied', 'the run has no token');
  return state.intake.token;
}
