import { z } from 'zod';
import { isRequester, type RunState } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { Pins } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { RUN_DECISIONS, type RunDecisionKind, signingText } from '../../model/gate/signing-text.ts';
import { exactObject, JsonValue } from '../../model/json/exact.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { Statement, Text } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { isHeld } from '../../model/run/session-status.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Migration, PlannedMigration } from '../../session/migrate.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { copyInput, requireId } from '../../session/read-input.ts';
import { isRefusal } from '../gates/decide-gate.ts';

/** A person's decision about a run: a credential and a reason. */
export interface RunAnswer {
  readonly credential: Credential;
  readonly reason: string;
}

export interface EscalationAnswer extends RunAnswer {
  readonly decision: 'continue' | 'finalize' | 'terminate';
  /** The hash of the packet shown to the person: `handoverHash` of the outcome. */
  readonly packetHash: string;
  /** With `terminate` after a dangerous finding: the credentials are compromised and are revoked. */
  readonly compromised?: true;
  /** With `continue` after an uncertain call: the call happened, with this result, and is not repeated. */
  readonly happened?: { readonly result: Json };
}

export interface BudgetAnswer extends RunAnswer {
  /** The increase of each counter. */
  readonly delta: Readonly<Record<string, number>>;
  /** The hash of the packet shown to the person, if the run waits for an answer. */
  readonly packetHash?: string;
}

/** An operator's note to the planner. */
export interface SteeringNote {
  readonly credential: Credential;
  readonly note: string;
}

export interface MigrationAnswer extends RunAnswer {
  /** The pack and the snapshot of this process, if the decider names them. A session can move to no others. */
  readonly to?: Pins;
}

/** Decisions about a run that need a person's authority. The decider is authenticated, and the proof recorded. */
export interface RunDecisions<Output = unknown> {
  decideEscalation(runId: string, answer: EscalationAnswer): Promise<RunOutcome<Output>>;
  extendBudget(runId: string, answer: BudgetAnswer): Promise<RunOutcome<Output>>;
  /** Continues a paused session. */
  resume(runId: string, credential: Credential): Promise<RunOutcome<Output>>;
  cancel(runId: string, answer: RunAnswer): Promise<RunOutcome<Output>>;
  /** Pauses a session: calls in flight may finish, and nothing new starts until an operator resumes it. */
  pause(runId: string, answer: RunAnswer): Promise<RunOutcome<Output>>;
  /** Pauses a session and queues its resume: the next `serve` or `resume` continues it. */
  interrupt(runId: string, answer: RunAnswer): Promise<RunOutcome<Output>>;
  /** Adds a note, attributed to its author, that the planner sees from the next plan on. */
  steer(runId: string, note: SteeringNote): Promise<RunOutcome<Output>>;
  /** What `migrate` would change: the pins, and the tools that the run uses and that have changed. Changes nothing. */
  previewMigration(runId: string): Promise<PlannedMigration>;
  /**
   * Moves a session to the pack, the snapshot and the tools of this process, as far as it uses them. What was approved
   * with an older tool is asked again.
   */
  migrate(runId: string, answer: MigrationAnswer): Promise<RunOutcome<Output>>;
  /** Ends a session as cancelled, even if its pack or snapshot is not available here. */
  terminate(runId: string, answer: RunAnswer): Promise<RunOutcome<Output>>;
}

export interface RunDecisionDeps {
  readonly approvers: Approvers;
  /** The state of the run, without taking it over. */
  readonly look: (runId: string) => Promise<RunState>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /** Ends a run, whichever pack and snapshot it is pinned to. */
  readonly end: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly migration: (runId: string, to?: Pins) => Promise<Migration>;
  /**
   * Delivers an event to a run without driving it. `take` says whether to load a run that this process does not hold.
   */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

const fields = { credential: Credential, reason: Text } as const;
const Escalation: z.ZodType<EscalationAnswer> = exactObject({
  ...fields,
  decision: z.enum(['continue', 'finalize', 'terminate']),
  packetHash: z.string().max(200),
  compromised: z.literal(true).exactOptional(),
  happened: z.strictObject({ result: JsonValue }).exactOptional(),
});
const Budget: z.ZodType<BudgetAnswer> = exactObject({
  ...fields,
  delta: z.record(z.string(), z.number()),
  packetHash: z.string().max(200).exactOptional(),
});
const Plain: z.ZodType<RunAnswer> = exactObject(fields);
const Steering: z.ZodType<SteeringNote> = exactObject({ credential: Credential, note: Statement });
const Migrating: z.ZodType<MigrationAnswer> = exactObject({ ...fields, to: Pins.exactOptional() });

export function runDecisions(deps: RunDecisionDeps): RunDecisions {
  return {
    decideEscalation: async (runId, answer) => {
      const { credential, packetHash, ...rest } = parse(Escalation, copyInput(answer), 'input_invalid');
      const statement = { ...rest, packet_hash: packetHash };
      return await decideRun(deps, requireId(runId), 'escalation_decided', statement, credential);
    },
    extendBudget: async (runId, answer) => {
      const { credential, delta, reason, packetHash } = parse(Budget, copyInput(answer), 'input_invalid');
      const about = packetHash === undefined ? {} : { packet_hash: packetHash };
      return await decideRun(deps, requireId(runId), 'budget_extended', { delta, reason, ...about }, credential);
    },
    resume: async (runId, credential) => {
      const shown = copyInput({ credential }).credential;
      return await decideRun(deps, requireId(runId), 'run_resumed', { operator: true }, shown);
    },
    cancel: async (runId, answer) => {
      const { credential, reason } = parse(Plain, copyInput(answer), 'input_invalid');
      return await decideRun(deps, requireId(runId), 'run_cancelled', { reason }, credential);
    },
    pause: async (runId, answer) => {
      const { credential, reason } = parse(Plain, copyInput(answer), 'input_invalid');
      return await decideRun(deps, requireId(runId), 'run_paused', { cause: 'operator', reason }, credential);
    },
    interrupt: async (runId, answer) => {
      const { credential, reason } = parse(Plain, copyInput(answer), 'input_invalid');
      const statement = { cause: 'operator', reason, resumes: true };
      return await decideRun(deps, requireId(runId), 'run_paused', statement, credential);
    },
    steer: async (runId, answer) => {
      const { credential, note } = parse(Steering, copyInput(answer), 'input_invalid');
      return await decideRun(deps, requireId(runId), 'run_steered', { note }, credential);
    },
    previewMigration: async (runId) => {
      const { newContext: _, deliver: __, ...planned } = await deps.migration(requireId(runId));
      return planned;
    },
    migrate: async (runId, answer) => {
      const { credential, reason, to } = parse(Migrating, copyInput(answer), 'input_invalid');
      const { newContext, deliver, ...planned } = await deps.migration(requireId(runId), to);
      const statement = { ...(planned as unknown as JsonObject), reason };
      return await decideRun({ ...deps, deliver }, runId, 'run_migrated', statement, credential, newContext);
    },
    terminate: async (runId, answer) => {
      const { credential, reason } = parse(Plain, copyInput(answer), 'input_invalid');
      return await decideRun({ ...deps, deliver: deps.end }, requireId(runId), 'run_cancelled', { reason }, credential);
    },
  };
}

type RunDecision = Extract<EventBody, { readonly type: RunDecisionKind }>;

const isRunDecision = (input: EventBody): input is RunDecision => RUN_DECISIONS.some((kind) => kind === input.type);

/**
 * Delivers an event whose sender is given by name only. An event that needs authority is accepted if the process may
 * name the decider; with enrolled keys or an authenticator it may not.
 */
export async function decideByName(deps: RunDecisionDeps, runId: string, input: EventBody): Promise<RunOutcome> {
  if (!isRunDecision(input)) return await deps.deliver(runId, input);
  const { type, by, proof, ...statement } = input;
  if (proof !== undefined)
    throw new Fault('event_illegal', 'an event cannot carry a proof: the runtime authenticates the decider itself');
  // The requester may always cancel their own run; that grants no authority.
  if (type === 'run_cancelled' && isRequester(await deps.look(runId), by)) return await deps.deliver(runId, input);
  return await decideRun(deps, runId, type, statement as JsonObject, { kind: 'local_operator', name: by });
}

/** Authenticates a decision about a run and delivers it. `unsigned` is recorded but not part of the signed text. */
export async function decideRun(
  deps: RunDecisionDeps,
  run_id: string,
  decision: RunDecisionKind,
  statement: JsonObject,
  credential: Credential,
  unsigned: JsonObject = {},
): Promise<RunOutcome> {
  const state = await deps.look(run_id);
  const { id, session } = state;
  const established = await deps.approvers.establish({
    text: (key_id, signed_at) => signingText.runDecision({ run_id, decision, said: statement, key_id, signed_at }),
    credential: parse(Credential, credential, 'input_invalid'),
    tenantId: id.tenantId,
    since: session.suspendedAt ?? session.startedAt,
  });
  const refuse = createRefusal(deps, state, decision, statement);
  if (!established.ok) return await refuse(established.claimedBy, new Fault(established.code, established.message));
  const { approver: by, proof } = established;
  const input = parseEventBody({ type: decision, ...unsigned, ...statement, by, proof });
  try {
    return await deps.deliver(run_id, input);
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(by, error);
  }
}

/** Returns a function that records a refusal and throws it. A run that another process drives is left alone. */
function createRefusal(
  { note }: RunDecisionDeps,
  { id, session }: RunState,
  decision: RunDecisionKind,
  { packet_hash }: JsonObject,
): (claimedBy: string, fault: Fault) => Promise<never> {
  return async (claimed_by, fault) => {
    const { code, message } = fault;
    const about = typeof packet_hash === 'string' ? { decision, packet_hash } : { decision };
    const refusal = { type: 'decision_refused', ...about, claimed_by, code, message } as const;
    await note(id.runId, refusal, isHeld(session.status)).catch(() => undefined);
    throw fault;
  };
}
