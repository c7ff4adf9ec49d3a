import type { RunState } from '../kernel/index.ts';
import type { EventBody, EventType } from '../model/events/event.ts';
import { parseEventBody } from '../model/events/event-schema.ts';
import { Fault } from '../model/fault/fault.ts';
import type { GateDecisionKind } from '../model/gate/gate.ts';
import type { GrantTerms, RefusedGrant, StandingGrant } from '../model/gate/grant.ts';
import { assertPersonName, isPersonalDecision } from '../model/gate/signing-text.ts';
import { isJsonObject, type JsonObject } from '../model/json/json.ts';
import { printable } from '../model/json/printable.ts';
import { takeJson } from '../model/json/take-json.ts';
import type { PlanPreview, PlanReport } from '../model/plan/plan-report.ts';
import { expandRequest, isEnvelope, type RunRequest, type StartRequest } from '../model/run/run-request.ts';
import type { Approvers, Credential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { StandingFilter, StandingRow } from '../ports/journal/standing-grants.ts';
import type { Proofs } from '../ports/proofs.ts';
import type { AgentCapabilities } from '../session/explain-outcome.ts';
import type { Host } from '../session/host.ts';
import type { Family } from '../session/lanes/family.ts';
import { type Lease, SOLE_DRIVER } from '../session/lease.ts';
import { loadOutcome } from '../session/load-outcome.ts';
import type { RunOutcome } from '../session/outcome.ts';
import { copyInput, readUntrusted, requireId, requirePacketHash } from '../session/read-input.ts';
import { laneMember } from './expand-lanes.ts';
import { type GateStanding, gateStanding } from './gates/closed-gate.ts';
import {
  type DecisionDeps,
  decideGate,
  type GateAnswer,
  type GateEdit,
  type GateInquiry,
  type InfoAnswer,
  provideInfo,
} from './gates/decide-gate.ts';
import { type GrantDeps, giveGrant, revokeGrant } from './gates/standing-grants.ts';
import { cancellation, type HeldRuns, heldRuns } from './held-runs.ts';
import {
  createRunHandle,
  type RunHandle,
  type RunHandleDeps,
  readStartArguments,
  type StartArguments,
  type StartOptions,
} from './run-handle.ts';
import { type AnswerArguments, type AskedQuestion, parseAnswer } from './sessions/answer-arguments.ts';
import {
  decideByName,
  type RunAnswer,
  type RunDecisionDeps,
  type RunDecisions,
  runDecisions,
} from './sessions/decide-run.ts';
import { listSessions, type SessionQuery, type SessionSummary } from './sessions/list-sessions.ts';
import { createOperatorActions, type RunDriver } from './sessions/operate.ts';
import { previewForRequest, reportOf, type VerifyOptions } from './verify-plan.ts';

/** Decisions at gates, and their packets. */
export interface GateActions<Output = unknown> {
  approve(gateId: string, answer: GateAnswer): Promise<RunOutcome<Output>>;
  /** Rejects the packet, which ends the run. */
  reject(gateId: string, answer: GateAnswer): Promise<RunOutcome<Output>>;
  /** Replaces the arguments shown. The new ones are authorized again, and every gate opens again for them. */
  edit(gateId: string, answer: GateEdit): Promise<RunOutcome<Output>>;
  /** Asks for more information and leaves the gate open. The third request hands the gate to another decider. */
  requestInfo(gateId: string, answer: GateInquiry): Promise<RunOutcome<Output>>;
  /** Answers a request for information. The gate opens again with the answer in its packet, under a new packet hash. */
  provideInfo(gateId: string, answer: InfoAnswer): Promise<RunOutcome<Output>>;
  /** The status of a gate, open or closed, and who decided it. An unknown id is `gate_not_found`. */
  get(gateId: string): Promise<GateStanding>;
  /** The packet that a gate shows, by its hash. */
  packet(packetHash: string): Promise<JsonObject>;
}

/** Commands to a run and its current state. */
export interface RunActions<Output = unknown> extends RunDecisions<Output> {
  /** Every run in the journal that matches the filter, of any agent and process; the last changed comes first. */
  list(filter?: SessionQuery): Promise<readonly SessionSummary[]>;
  /** The outcome of any run so far: what it waits for, what it has used, or how it ended. */
  get(runId: string): Promise<RunOutcome<Output>>;
  /** Answers a question of the run. `question` is the one in the outcome, so that the answer fits the packet shown. */
  answer(runId: string, question: AskedQuestion, answers: JsonObject, by: string): Promise<RunOutcome<Output>>;
  /** Sends any other event that a run accepts from outside, such as `run_cancelled`; `by` names the sender. */
  send(runId: string, event: unknown): Promise<RunOutcome<Output>>;
  /** The process that drives a run; null if the run waits, has ended, or was abandoned. */
  driver(runId: string): Promise<RunDriver | null>;
  /** A handle on a run that was started earlier, here or in another process. */
  follow(runId: string, options?: FollowRunOptions): Promise<RunHandle>;
}

export interface FollowRunOptions {
  /**
   * Continues the run, for example with a decision. The handle settles with the returned outcome. By default it settles
   * when the run waits for people or has ended.
   */
  readonly until?: () => Promise<RunOutcome>;
}

/** Standing grants: permissions that a person gives in advance. */
export interface Grants {
  /** Permits calls of a `network` or `delegated` tool in advance, within the terms. */
  give(terms: GrantTerms, credential: Credential): Promise<StandingGrant>;
  revoke(grantId: string, reason: string, credential: Credential): Promise<void>;
  /** Every standing grant, with its remaining uses and money. */
  list(filter?: StandingFilter): Promise<readonly StandingRow[]>;
  /** Refused attempts to give or revoke a grant, with their reasons. */
  refused(filter?: { readonly tenant?: string }): Promise<readonly RefusedGrant[]>;
}

/** The actions on the runs of one agent. Every call resolves when the run waits again or has ended. */
export interface Runtime<Output = unknown> {
  /** Starts a run and returns at once. A runtime of several agents needs the agent's name. */
  start(request: StartRequest, options?: StartOptions): RunHandle<Output>;
  start(agent: string, request: StartRequest, options?: StartOptions): RunHandle<Output>;
  /** Short form of `start(…).settled`. It also accepts the full envelope, which names its agent. */
  invoke(request: StartRequest | RunRequest, options?: StartOptions): Promise<RunOutcome<Output>>;
  invoke(agent: string, request: StartRequest, options?: StartOptions): Promise<RunOutcome<Output>>;
  /** Short form of `gates.approve`. */
  approve(gateId: string, answer: GateAnswer): Promise<RunOutcome<Output>>;
  /**
   * Takes over a run that no process drives any more and drives it on; limits that have passed take effect. A run that
   * another process drives is `session_driven`, unless an operator decides to take it over.
   */
  resume(runId: string, how?: { readonly takeOver?: RunAnswer }): Promise<RunOutcome<Output>>;
  /** Verifies a plan without a run: the verdict and the problems that a run with this plan gets. Nothing is stored. */
  verify(plan: unknown, options?: VerifyOptions): Promise<PlanReport>;
  close(): Promise<void>;
  readonly gates: GateActions<Output>;
  readonly sessions: RunActions<Output>;
  readonly grants: Grants;
  readonly agents: {
    /** The calls that a plan would make, before any approval, with its verification. Nothing is run or stored. */
    dryRun(plan: unknown, options?: VerifyOptions): Promise<PlanPreview>;
  };
}

function answerTo({ question, answers, by }: AnswerArguments): EventBody {
  const { questionId: question_id, packetHash } = question;
  const about = packetHash === null ? {} : { packet_hash: packetHash };
  return parseRunCommand({ type: 'question_answered', question_id, ...about, answers, changes_scope: false, by });
}

/** Starts a run of this agent. Every fault in the request is thrown before the function returns. */
function startRun(
  { host, held, watch, clock, sessions, packet }: StartDeps,
  { agent: name, request, signal }: StartArguments,
): RunHandle {
  const { agent } = host;
  if (name !== undefined && name !== agent.name) {
    const message = `there is no agent ${printable(name)} here; there is ${agent.name}`;
    throw new Fault('input_invalid', message, { path: '/agent' });
  }
  const plain = takeJson(request);
  const isShort = name !== undefined || (isJsonObject(plain) && !isEnvelope(plain));
  // One reading of the clock, so that a user by name does not expire before the run.
  const now = clock.nowMs();
  const goal = host.receive(isShort ? expandRequest(agent, plain, now) : plain, now);
  const id = goal.run_id;
  const cancel: RunHandleDeps['cancel'] = (runId, reason) => sessions.send(runId, cancellation(goal, reason));
  const deps = { id, ...held.start(goal, signal), watch, packet, cancel, outcome: sessions.get };
  return createRunHandle(deps, signal);
}

interface StartDeps extends Pick<RunHandleDeps, 'watch' | 'packet'> {
  readonly host: Host;
  readonly held: HeldRuns;
  readonly clock: Clock;
  readonly sessions: Pick<RunActions, 'send' | 'get'>;
}

interface FollowDeps extends Pick<RunHandleDeps, 'watch' | 'packet'>, Pick<RunActions, 'send' | 'get'> {
  readonly look: (runId: string) => Promise<RunState>;
}

/** Throws `session_not_found` before it returns a handle. */
async function followRun(
  { look, watch, packet, send, get }: FollowDeps,
  id: string,
  { until }: FollowRunOptions,
): Promise<RunHandle> {
  const { identity } = (await look(id)).intake;
  if (identity === null) throw new Fault('session_not_found', `session ${id} has not begun`);
  const settled = until === undefined ? whenSettled({ watch, get }, id) : until();
  const cancel: RunHandleDeps['cancel'] = (runId, reason) => send(runId, cancellation({ identity }, reason));
  const begun = Promise.resolve({ runId: id });
  return createRunHandle({ id, begun, settled, watch, packet, cancel, outcome: get }, undefined);
}

/** Resolves when a run, driven by any process, waits for people or has ended. */
async function whenSettled({ watch, get }: Pick<FollowDeps, 'watch' | 'get'>, id: string): Promise<RunOutcome> {
  for await (const { event, notice } of watch(id, {})) {
    if (notice === null && event.type !== 'question_asked') continue;
    const outcome = await get(id);
    if (outcome.status !== 'in_progress') return outcome;
  }
  return await get(id);
}

export interface RuntimeDeps {
  readonly journal: Journal;
  readonly approvers: Approvers;
  /** Omitted if decisions are not signed. */
  readonly proofs?: Proofs;
  readonly clock: Clock;
  /** Follows the events of a run. */
  readonly watch: RunHandleDeps['watch'];
  readonly family?: Family;
  /** Omitted if no other process shares the store. */
  readonly lease?: Lease;
}

export function createRuntime(
  host: Host,
  { journal, approvers, proofs, clock, watch, family, lease = SOLE_DRIVER }: RuntimeDeps,
): Runtime {
  const { agent, turn } = host;
  const known: AgentCapabilities = { agent, tools: turn.env.tools };
  const held = heldRuns({ host, lease, journal, family, known, nowMs: () => clock.nowMs() });
  const { look, deliver, note } = held;
  const { resume, takeOver, end, migration, driver } = createOperatorActions({ ...held, host, lease });

  family?.join(agent.name, laneMember({ ...held, host, journal, resume }));

  const gates = gateActions({
    now: () => clock.nowMs(),
    journal,
    approvers,
    proofs,
    env: turn.env,
    look,
    deliver,
    note,
  });
  const deps: RunDecisionDeps = { approvers, look, deliver, note, end, migration };

  const { packet } = gates;
  const sessions = runActions({ ...deps, host, journal, known, driver, watch, packet });
  const start = (...args: readonly unknown[]): RunHandle =>
    startRun({ host, held, watch, clock, sessions, packet }, readStartArguments(args));

  return {
    start,
    invoke: async (...args: readonly unknown[]) => await start(...args).settled,
    approve: gates.approve,
    resume: async (runId, { takeOver: taken } = {}) =>
      await (taken === undefined ? resume(requireId(runId)) : takeOver(requireId(runId), copyInput(taken), deps)),
    close: async () => {
      await lease.leave().catch(() => undefined);
      await journal.close();
    },
    gates,
    sessions,
    grants: grantsOf(host, { store: journal, approvers, clock, env: turn.env, agent }),
    verify: async (plan, options) => reportOf(await previewForRequest({ host, clock }, plan, options)),
    agents: { dryRun: async (plan, options) => await previewForRequest({ host, clock }, plan, options) },
  };
}

interface RunActionDeps extends RunDecisionDeps, Pick<RunActions, 'driver'>, Pick<RunHandleDeps, 'watch' | 'packet'> {
  readonly host: Host;
  readonly journal: Journal;
  readonly known: AgentCapabilities;
}

function runActions(deps: RunActionDeps): RunActions {
  const { look, deliver, journal, known, driver } = deps;
  const get: RunActions['get'] = async (runId) => await loadOutcome(journal, await look(runId), known);
  const send: RunActions['send'] = async (runId, event) => await decideByName(deps, runId, parseRunCommand(event));
  return {
    ...runDecisions(deps),
    list: async (filter) => await listSessions(journal, filter),
    get,
    answer: async (runId, question, answers, by) => {
      const args = parseAnswer({ runId, question, answers, by });
      return await deliver(args.runId, answerTo(args));
    },
    send,
    driver: async (runId) => await driver(requireId(runId)),
    follow: async (runId, options = {}) => await followRun({ ...deps, send, get }, requireId(runId), options),
  };
}

function gateActions(deps: DecisionDeps): GateActions {
  const { journal } = deps;
  const decide = async (
    decision: GateDecisionKind,
    gateId: string,
    answer: GateInquiry | GateEdit,
  ): Promise<RunOutcome> => await decideGate(deps, requireId(gateId), decision, copyInput(answer));
  return {
    approve: (gateId, answer) => decide('approve', gateId, answer),
    reject: (gateId, answer) => decide('reject', gateId, answer),
    edit: (gateId, answer) => decide('edit', gateId, answer),
    requestInfo: (gateId, answer) => decide('request_info', gateId, answer),
    provideInfo: async (gateId, answer) => await provideInfo(deps, requireId(gateId), copyInput(answer)),
    get: async (gateId) => await gateStanding(journal, requireId(gateId)),
    packet: async (packetHash) => JSON.parse(await journal.blob(requirePacketHash(packetHash))) as JsonObject,
  };
}

function grantsOf(host: Host, deps: GrantDeps): Grants {
  return {
    give: async (terms, credential) => {
      const grant = await giveGrant(deps, terms, credential);
      await host.refresh();
      return grant;
    },
    revoke: async (grantId, reason, credential) => {
      await revokeGrant(deps, grantId, reason, credential);
      await host.refresh();
    },
    list: (filter) => deps.store.standingGrants(filter),
    refused: (filter) => deps.store.refusedGrants(filter),
  };
}

/** The events that people and models may send to a run. The loop itself produces all others. */
const COMMANDS: ReadonlySet<EventType> = new Set<EventType>([
  'question_answered',
  'escalation_decided',
  'budget_extended',
  'run_paused',
  'run_resumed',
  'run_cancelled',
  'run_steered',
  'proposal_made',
  'transition_requested',
]);

/** Parses an event that was sent to a run, and rejects it before the run receives it if it is not allowed. */
function parseRunCommand(value: unknown): EventBody {
  const input = readUntrusted(() => {
    assertSigned(value);
    assertNoGate(value);
    return parseEventBody(value);
  });
  if (!COMMANDS.has(input.type)) {
    throw new Fault('event_illegal', `${input.type} cannot be sent; the runtime records it when it happens`);
  }
  if (input.type === 'run_paused' && input.cause !== 'operator') {
    const message = `only a pause with the cause operator can be sent; the runtime records ${input.cause} when it happens`;
    throw new Fault('event_illegal', message, { path: '/cause' });
  }
  return input;
}

/** Rejects gate decisions: they need an authenticated credential, which an event cannot carry. */
function assertNoGate(value: unknown): void {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'gate_decided') return;
  throw new Fault(
    'event_illegal',
    'a gate decision cannot be sent as an event: use gates.approve, reject, edit or requestInfo',
  );
}

/** Rejects a decision without a name before any other check, with a fault of its own. */
function assertSigned(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, approver, by } = value as Readonly<Record<string, unknown>>;
  if (isPersonalDecision(type)) assertPersonName(type, type === 'gate_decided' ? approver : by);
}
