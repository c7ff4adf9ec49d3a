import type { EvaluatorTable } from '../../critic/evaluators/evaluator.ts';
import { scoreRun, scoreStep } from '../../critic/judge.ts';
import { isJudgeable } from '../../critic/release/judgeable.ts';
import { checkSentence, RELEASE_CHECK } from '../../critic/release/release-check.ts';
import { askedFields } from '../../critic/stated/asked-fields.ts';
import { findOpenPart } from '../../critic/stated/open-part.ts';
import { selectFields } from '../../critic/stated/select-fields.ts';
import { stateFacts } from '../../critic/stated/state-facts.ts';
import { verifyObservation } from '../../critic/verify-observation.ts';
import type { Dispatch } from '../../gateway/dispatch/call-tool.ts';
import type { ProbeRequest } from '../../gateway/dispatch/probes.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { checkIntakePolicy } from '../../intake/check-policy.ts';
import { classifyIntent } from '../../intake/classify-intent.ts';
import { createInitRun, lowerCaps, type RunTerms, runBudget } from '../../intake/init-run.ts';
import { longestVerdictGapMs, type Pace, receiveGoal } from '../../intake/receive-goal.ts';
import { resolveScope } from '../../intake/resolve-scope.ts';
import {
  boundParts,
  type Critic,
  cacheRuleFor,
  callCap,
  type Derived,
  directAnswer,
  directReply,
  innerTools,
  type KernelEnv,
  ownGuardsOf,
  presentedValues,
  questionPacket,
  type RunState,
  refuseIfUnsettled,
  ruleOnStoredAnswer,
  specOf,
} from '../../kernel/index.ts';
import type { PartialCaps } from '../../model/budget/budget.ts';
import type { UnitPrices } from '../../model/budget/run-cost.ts';
import type { Rubric } from '../../model/critic/rubric.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import type { CompiledContext } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { type Blob, toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { type Json, type JsonObject, own } from '../../model/json/json.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import { narrowToken } from '../../model/run/identity.ts';
import { NO_COST, type ToolRegistry } from '../../model/tool/tool.ts';
import type { Policy } from '../../ports/authorizer.ts';
import type { Caller } from '../../ports/bound-tool.ts';
import type { Ids } from '../../ports/clock.ts';
import type { CredentialBroker } from '../../ports/credentials.ts';
import type { KillSwitchStore } from '../../ports/journal/kill-switches.ts';
import { type TimeLimited, timeLimitMs } from '../../ports/model/model-roles.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';
import type { Vault } from '../../ports/store/vault.ts';
import { type MemoryTerms, proposeMemory } from '../../record/consolidate.ts';
import { compileResponse, type ResponseCase } from '../../record/response.ts';
import { plainReviewer } from '../../roles/model-reviewer.ts';
import { type LanePort, NO_LANES, workersOf } from '../lanes/lane-port.ts';
import { recordedWith, sharedContext } from '../recorded-rules.ts';
import type { RunContexts } from '../run-contexts.ts';
import { capsLeft, threadOf } from '../threads/thread-limits.ts';
import { type ChangedTools, whyChanged } from '../used-versions.ts';
import { type ModelPorts, modelPerformers } from './ask-models.ts';
import { longestPlannerTimeout, type PlannerTimeouts, recordedTimeouts } from './ask-planner.ts';
import { authorizeProbeCall, authorizeStepCall } from './authorize-call.ts';
import { autonomyChoice } from './autonomy-choice.ts';
import type { LocalPerformers, OutsidePerformers } from './performers.ts';
import { revokeCredentials, stoppedBy } from './revoke-credentials.ts';
import { goalOf, tokenOf } from './run-parts.ts';
import { handlesOf } from './sealed-inputs.ts';
import { memorable, storeMemories } from './write-memory.ts';

/** The pins of a run, in addition to the kernel environment. */
export interface RunPins {
  readonly agent: AgentSpec;
  readonly env: KernelEnv;
  /** The environment that the run began with, to fold its frames; absent if it is `env`. */
  readonly begunWith?: KernelEnv;
  readonly registry: ToolRegistry;
  readonly catalogVersion: string;
  readonly policyVersion: string;
  readonly tenantQuota: PartialCaps;
  /** Absent if the host names no prices. */
  readonly prices?: UnitPrices;
  readonly context: CompiledContext;
  /** The stored packs that the context was compiled from. */
  readonly contextParts?: readonly Blob[];
  readonly plannerTimeouts: PlannerTimeouts;
  /** The tools of a recorded run that this process has in another version; it calls none of them. */
  readonly changed?: ChangedTools;
  /** The evidence types to remember; omitted without a memory store. */
  readonly memory?: MemoryTerms;
}

export interface RunPorts extends ModelPorts {
  readonly gateway: Gateway;
  readonly switches: Pick<KillSwitchStore, 'killSwitches'>;
  readonly policy: Policy;
  readonly memory?: MemoryStore;
  /** Stores secret and personal values; omitted if there are none. */
  readonly vault?: Vault;
  /** Revokes the credentials of a run. */
  readonly credentials?: Pick<CredentialBroker, 'revoke'>;
  /** Runs the lanes; omitted if runs open none. */
  readonly lanes?: LanePort;
  readonly ids: Ids;
}

/** The Critic, as the kernel calls it. */
export function criticOf(rubric: Rubric, evaluators: EvaluatorTable): Critic {
  return {
    verifyObservation,
    judgeStep: (facts) => scoreStep(rubric, evaluators, facts),
    judgeRun: (facts) => scoreRun(rubric, evaluators, facts),
    findOpenPart,
    releaseCheck: RELEASE_CHECK,
    checkSentence,
    isJudgeable,
    stateFacts,
  };
}

/**
 * The first event of a run, made from an untrusted request. An invalid request is rejected here and leaves no trace.
 */
export function arrival(
  pins: RunPins,
  ports: RunPorts,
  request: unknown,
  now: number = ports.clock.nowMs(),
): Extract<EventBody, { type: 'goal_received' }> {
  const verdictGapMs = longestVerdictGapMs(pins.registry.tools, paceOf(pins, ports));
  return receiveGoal(request, pins.agent, { ids: ports.ids, now, verdictGapMs });
}

/** The retry cap of a run. A run with incomplete caps ends before its first call, so it retries none. */
function retriesOf(agent: RunPins['agent'], quota: RunPins['tenantQuota']): number {
  try {
    return runBudget(agent, quota).caps.retry_count_max;
  } catch (error) {
    if (Fault.is(error)) return 0;
    throw error;
  }
}

function paceOf({ agent, env, plannerTimeouts, tenantQuota }: RunPins, ports: RunPorts): Pace {
  const { dispatchWindowMs, retryBaseMs } = env.limits;
  const limitOf = (role: TimeLimited | null | undefined): number => (role == null ? 0 : timeLimitMs(role));
  const { classifier, reviewer, drafter, judges, composer, answerJudge } = ports;
  // The plain reviewer asks no model, so it takes no time.
  const readingMs = Math.max(limitOf(classifier), reviewer === plainReviewer ? 0 : limitOf(reviewer));
  return {
    dispatchWindowMs,
    retryBaseMs,
    retriesMax: retriesOf(agent, tenantQuota),
    planningMs: readingMs + longestPlannerTimeout(plannerTimeouts),
    // Judges, and the stronger judges after them, answer between a commit and its verdict.
    stepModelsMs: limitOf(drafter) + 2 * Math.max(0, ...judges.map(timeLimitMs)),
    answeringMs: Math.max(limitOf(composer), limitOf(answerJudge)),
  };
}

/** The performers of synchronous effects. Only this file connects the loop to intake, gateway and Critic. */
export function localPerformers(
  pins: RunPins,
  ports: RunPorts,
  contexts: Pick<RunContexts, 'of'> = sharedContext(pins),
): LocalPerformers {
  const { agent, registry, env } = pins;
  const terms = termsOf(pins);
  const initRun = createInitRun(terms);
  return {
    classify_intent: (state) => plain(classifyIntent({ goal: goalOf(state), agent })),
    resolve_scope: (state) => {
      const { identity } = state.intake;
      const wanted = state.intake.goal?.data_scopes ?? [];
      const opened = state.intake.opened ?? [];
      const { tenantId } = state.id;
      const asked = { identity, tenantId, agent, tools: registry, now: state.now, wanted, opened };
      return plain(limitToLane(state, resolveScope(asked)));
    },
    check_policy: (state) =>
      plain(checkIntakePolicy({ goal: goalOf(state), token: tokenOf(state), policy: ports.policy })),
    init_run: (state) => {
      const { id, laneContext, now } = state;
      const runContext = contexts.of(state);
      const thread = threadOf(state, agent, runContext, ports.models);
      const run = { id: id.runId, token: tokenOf(state), now, context: runContext.context, ...thread };
      const caps = laneContext?.caps ?? (thread === null ? undefined : capsLeft(thread.thread.place));
      const init = caps === undefined ? initRun : createInitRun(withinCaps(terms, caps));
      return recordedWith(pins, runContext, init(run));
    },
    clear_step: (state, effect) =>
      plain(
        refuseChangedTool(pins, effect) ??
          refuseDuplicateCall(pins, ports, state, effect) ??
          authorizeStepCall(pins, ports.gateway.layers, state, effect),
      ),
    propose_compensation: (_state, effect) => plain(ports.gateway.compensation(effect, env.tools.get(effect.tool))),
    compile_response: (state) => {
      const { evidenceByType, disputed } = state.work;
      return plain(
        compileResponse({
          goal: goalOf(state),
          evidenceByType,
          disputed,
          direct: directAnswer(state),
          reply: directReply(state),
          intents: agent.intents,
          shown: answeringValues(env, state),
          sentences: state.ending.answer?.released ?? null,
          specOf: (tool) => specOf(env, tool),
        }),
      );
    },
    propose_memory: (state) => plain(proposeMemory(memorable(state), pins.memory ?? null)),
  };
}

/** The committed values that answer the request, with the fields to state. */
function answeringValues(env: KernelEnv, state: RunState): ResponseCase['shown'] {
  const { request, values } = presentedValues(env, state);
  const selected = selectFields(request, values, (tool) => specOf(env, tool));
  return values.flatMap(({ value, observation, tool, untrusted }, place) => {
    const fields = selected[place];
    return fields == null ? [] : [{ value, observation, tool, untrusted, fields }];
  });
}

/** The performers of effects that need the outside world. */
export function outsidePerformers(
  pins: RunPins,
  ports: RunPorts,
  contexts: Pick<RunContexts, 'of'> = sharedContext(pins),
): OutsidePerformers {
  const { clock, timer } = ports;
  return {
    ...modelPerformers(pins, { ...ports, askedFields }, contexts),
    reconcile_call: (state, effect, context) =>
      ports.gateway.reconcile(probeRequest(pins, ports, state, effect), context),
    probe_step: (state, effect, context) =>
      ports.gateway.verify(probeRequest(pins, ports, state, effect), effect.result, context),
    call_tool: (state, effect, { recall, onLateAnswer: hearLate }) =>
      ports.gateway.call(dispatchOf(pins, ports, state, effect), recall, hearLate),
    spawn_lane: (state, effect, { recall }) => (ports.lanes ?? NO_LANES).spawn(state, effect, recall.signal),
    end_lane: (state, effect) => (ports.lanes ?? NO_LANES).end(state, effect),
    ask_user: async (state, effect) => {
      const packet = toBlob(canonicalize(questionPacket(state, effect) as unknown as Json), pins.env.hash);
      const { question_id, fields, readings } = effect;
      const event = { type: 'question_asked', question_id, fields, readings, packet_hash: packet.address } as const;
      return { event, blobs: [packet] };
    },
    revoke_credentials: (state, effect, { recall }) =>
      revokeCredentials({ credentials: ports.credentials, clock, timer }, state, effect, recall.signal),
    write_memory: (_state, { entries }) => storeMemories(ports.memory, entries),
  };
}

function probeRequest(
  pins: RunPins,
  { gateway, switches, vault }: RunPorts,
  state: RunState,
  effect: EffectOf<'probe_step'> | EffectOf<'reconcile_call'>,
): ProbeRequest {
  const { env } = pins;
  const { tools } = env;
  const { call, probe } = effect;
  const behind = (args: JsonObject): readonly string[] => innerTools(env, { tool: probe, args });
  return {
    call,
    probeName: probe,
    probe: pins.changed?.has(probe) === true ? undefined : tools.get(probe),
    run: callerOf(pins, vault, state, probe),
    notBefore: effect.kind === 'reconcile_call' ? effect.not_before : 0,
    clear: authorizeProbeCall(pins, gateway.layers, state, effect),
    behind: (args) => behind(args).map((tool) => ({ tool, limits: tools.get(tool)?.limits })),
    stoppedBy: (args) => stoppedBy(switches, switchSubject(pins, state), [probe, ...behind(args)]),
    checkAnswer: (answer) => tools.checkOutput(probe, answer),
    checkResult: (result) => tools.checkOutput(call.tool, result),
    ruleOn: (raw, aside) => ruleOnStoredAnswer(verifyObservation, env, call, state.now, raw, aside),
    bound: () => boundParts(env, state, call),
  };
}

function dispatchOf(
  pins: RunPins,
  { switches, clock, vault }: RunPorts,
  state: RunState,
  { call, inputs, mode, behind, timeout_ms, not_before, dispatch_before, cached }: EffectOf<'call_tool'>,
): Dispatch {
  const { env } = pins;
  const spec = env.tools.get(call.tool);
  return {
    call,
    inputs,
    cost: spec?.cost ?? NO_COST,
    limits: spec?.limits,
    behind: behind.map((tool) => ({ tool, limits: env.tools.get(tool)?.limits })),
    run: callerOf(pins, vault, state, call.tool),
    timeoutMs: timeout_ms,
    notBefore: not_before,
    dispatchBefore: dispatch_before,
    once: mode !== 'read_only',
    ruleOn: (raw, aside) => ruleOnStoredAnswer(verifyObservation, env, call, clock.nowMs(), raw, aside),
    bound: () => boundParts(env, state, call),
    callsMax: callCap(state),
    cached,
    keep: cached === undefined ? cacheRuleFor(env, state, call.tool) : undefined,
    stoppedBy: () => stoppedBy(switches, switchSubject(pins, state), [call.tool, ...behind]),
  };
}

/** The agent, the workers and the tenant that a kill switch can name. */
const switchSubject = ({ agent }: RunPins, state: RunState): Parameters<typeof stoppedBy>[1] => ({
  agent: agent.name,
  workers: workersOf(state),
  through: state.laneContext === undefined ? [] : [state.laneContext.tool],
  tenant: state.id.tenantId,
});

/** The identity of the run, with only the scopes that the tool requires. */
function callerOf({ agent }: RunPins, vault: Vault | undefined, state: RunState, tool: string): Caller {
  const { runId, tenantId } = state.id;
  const scopes = own(agent.access.tool_scopes, tool) ?? [tool];
  const caller = { runId, tenantId, actor: tokenOf(state).actor, scopes };
  return vault === undefined ? caller : { ...caller, handles: () => handlesOf(state) };
}

/** Refuses to call a tool that has changed since the run was planned, such as one that a later plan chose. */
function refuseChangedTool({ env, changed }: RunPins, effect: EffectOf<'clear_step'>): EventBody | null {
  if (changed === undefined) return null;
  const { step_id, tool, args } = effect;
  for (const name of [tool, ...innerTools(env, { tool, args })]) {
    const message = whyChanged(changed, name);
    if (message !== null)
      return { type: 'step_refused', step_id, layer: 'registry', code: 'version_changed', message, missing: [] };
  }
  return null;
}

/** Refuses a lane's call that another run of its family already has in flight. */
function refuseDuplicateCall(
  { env }: RunPins,
  { lanes }: RunPorts,
  state: RunState,
  effect: EffectOf<'clear_step'>,
): EventBody | null {
  if (state.laneContext === undefined || lanes === undefined) return null;
  return refuseIfUnsettled(env, effect, (call) => lanes.claimCall(state, call));
}

/** Limits the token of a lane to the rights that its parent passes on. */
function limitToLane({ laneContext }: RunState, resolved: ReturnType<typeof resolveScope>): EventBody {
  if (laneContext === undefined || resolved.token === null) return resolved;
  return { ...resolved, token: narrowToken(laneContext, resolved.token) };
}

const plain = (event: EventBody): Derived => ({ event, blobs: [] });

function termsOf(pins: RunPins): RunTerms {
  const { agent, env, registry, catalogVersion, policyVersion, tenantQuota, plannerTimeouts, prices } = pins;
  const { graph, rubric, detectors, limits, hash } = env;
  return {
    agent,
    hash,
    graph: { hash: graph.hash, tier: graph.spec.tier, guards: ownGuardsOf(graph.spec) },
    versions: { registry: registry.version, catalog: catalogVersion, policy: policyVersion },
    rubric,
    detectors,
    tenantQuota,
    ...(prices === undefined ? {} : { prices }),
    autonomy: () => autonomyChoice(agent, registry.tools),
    ...recordedTimeouts(plannerTimeouts, limits.plannerTimeoutRangeMs),
  };
}

/** Limits the budget of a lane to the amount that its parent passes on, and that of a run to what its thread has left. */
const withinCaps = (terms: RunTerms, caps: PartialCaps): RunTerms => ({
  ...terms,
  tenantQuota: lowerCaps(terms.tenantQuota, caps),
});
