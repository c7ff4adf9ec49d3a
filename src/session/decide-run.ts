import { z } from 'zod';
import { isRequester } from '../kernel/decider.ts';
import type { RunState } from '../kernel/state.ts';
import { isHeld } from '../kernel/suspend.ts';
import { PackRef, type Pins } from '../model/context.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { JsonValue } from '../model/json-schema.ts';
import { Name, Statement, Text } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { RUN_DECISIONS, type RunDecisionKind, runStatementText } from '../model/run-statement.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import { isRefusal } from './decide-gate.ts';
import { given, named } from './given.ts';
import type { Migration } from './migrate.ts';
import type { RunOutcome } from './outcome.ts';

/** A person's word about a run: why, and what shows that it is theirs. */
export interface RunAnswer {
  readonly credential: Credential;
  readonly reason: string;
}

export interface EscalationAnswer extends RunAnswer {
  readonly decision: 'continue' | 'finalize' | 'terminate';
  /** Of what the person was shown: `handoverHash` of the outcome. */
  readonly packetHash: string;
  /** With `terminate`, where something dangerous was found: credentials are in the wrong hands, and are revoked. */
  readonly compromised?: true;
  /** With `continue`, where a call is in doubt: it happened, and this is what it came to. It is not made again. */
  readonly happened?: { readonly result: Json };
}

export interface BudgetAnswer extends RunAnswer {
  /** By how much each counter grows. */
  readonly delta: Readonly<Record<string, number>>;
  /** Of what the person was shown, where the run waits for an answer. */
  readonly packetHash?: string;
}

/** An operator's word to whoever plans. */
export interface SteeringNote {
  readonly credential: Credential;
  readonly note: string;
}

export interface MigrationAnswer extends RunAnswer {
  /** What the session goes on with: the pack and the snapshot of this process, named by whoever decides. */
  readonly to: Pins;
}

/** What takes a person's authority. Each is established like the decision of a gate, and recorded with its proof. */
export interface RunDecisions {
  decideEscalation(runId: string, answer: EscalationAnswer): Promise<RunOutcome>;
  extendBudget(runId: string, answer: BudgetAnswer): Promise<RunOutcome>;
  /** Lets a session go on that was paused. */
  resumeSession(runId: string, credential: Credential): Promise<RunOutcome>;
  cancel(runId: string, answer: RunAnswer): Promise<RunOutcome>;
  /** Holds a session: what is under way may land, and nothing new starts until an operator lets it go on. */
  pause(runId: string, answer: RunAnswer): Promise<RunOutcome>;
  /** The same, with a resume in the queue: whoever drives sessions next, `serve` or `resume`, lets it go on. */
  interrupt(runId: string, answer: RunAnswer): Promise<RunOutcome>;
  /** A note that whoever plans is shown from the next plan on, as the word of its author. */
  steer(runId: string, note: SteeringNote): Promise<RunOutcome>;
  /** Takes a session to the pack and the snapshot of this process, where they are not those it was started on. */
  migrate(runId: string, answer: MigrationAnswer): Promise<RunOutcome>;
  /** Ends a session as cancelled, also one that cannot go on because its pack or its snapshot is not here. */
  terminate(runId: string, answer: RunAnswer): Promise<RunOutcome>;
}

export interface RunDecisionRoom {
  readonly approvers: Approvers;
  /** How the run stands, without taking it over. */
  readonly look: (runId: string) => Promise<RunState>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /** Ends a run whatever pack and snapshot it is pinned to. */
  readonly end: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly migration: (runId: string, answer: Pick<MigrationAnswer, 'to'>) => Promise<Migration>;
  /** Brings an event to a run and nothing else; `take` a run over that this process does not hold yet, or leave it. */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

const fields = { credential: Credential, reason: Text } as const;
const Escalation: z.ZodType<EscalationAnswer> = z.strictObject({
  ...fields,
  decision: z.enum(['continue', 'finalize', 'terminate']),
  packetHash: z.string().max(200),
  compromised: z.literal(true).exactOptional(),
  happened: z.strictObject({ result: JsonValue }).exactOptional(),
});
const Budget: z.ZodType<BudgetAnswer> = z.strictObject({
  ...fields,
  delta: z.record(z.string(), z.number()),
  packetHash: z.string().max(200).exactOptional(),
});
const Plain: z.ZodType<RunAnswer> = z.strictObject(fields);
const Steering: z.ZodType<SteeringNote> = z.strictObject({ credential: Credential, note: Statement });
const Migrating: z.ZodType<MigrationAnswer> = z.strictObject({
  ...fields,
  to: z.strictObject({ pack_pin: PackRef, snapshot_pin: Name }),
});

export function runDecisions(room: RunDecisionRoom): RunDecisions {
  return {
    decideEscalation: async (runId, answer) => {
      const { credential, packetHash, ...rest } = parse(Escalation, given(answer), 'input_invalid');
      const said = { ...rest, packet_hash: packetHash };
      return await decide(room, named(runId), 'escalation_decided', said, credential);
    },
    extendBudget: async (runId, answer) => {
      const { credential, delta, reason, packetHash } = parse(Budget, given(answer), 'input_invalid');
      const about = packetHash === undefined ? {} : { packet_hash: packetHash };
      return await decide(room, named(runId), 'budget_extended', { delta, reason, ...about }, credential);
    },
    resumeSession: async (runId, credential) => {
      const shown = given({ credential }).credential;
      return await decide(room, named(runId), 'run_resumed', { operator: true }, shown);
    },
    cancel: async (runId, answer) => {
      const { credential, reason } = parse(Plain, given(answer), 'input_invalid');
      return await decide(room, named(runId), 'run_cancelled', { reason }, credential);
    },
    pause: async (runId, answer) => {
      const { credential, reason } = parse(Plain, given(answer), 'input_invalid');
      return await decide(room, named(runId), 'run_paused', { cause: 'operator', reason }, credential);
    },
    interrupt: async (runId, answer) => {
      const { credential, reason } = parse(Plain, given(answer), 'input_invalid');
      const said = { cause: 'operator', reason, resumes: true };
      return await decide(room, named(runId), 'run_paused', said, credential);
    },
    steer: async (runId, answer) => {
      const { credential, note } = parse(Steering, given(answer), 'input_invalid');
      return await decide(room, named(runId), 'run_steered', { note }, credential);
    },
    migrate: async (runId, answer) => {
      const { credential, reason, to } = parse(Migrating, given(answer), 'input_invalid');
      const { from, told, deliver } = await room.migration(named(runId), { to });
      const said = { from: { ...from }, to: { ...to }, reason };
      return await decide({ ...room, deliver }, runId, 'run_migrated', said, credential, told);
    },
    terminate: async (runId, answer) => {
      const { credential, reason } = parse(Plain, given(answer), 'input_invalid');
      return await decide({ ...room, deliver: room.end }, named(runId), 'run_cancelled', { reason }, credential);
    },
  };
}

type Spoken = Extract<EventBody, { readonly type: RunDecisionKind }>;

const isRunDecision = (input: EventBody): input is Spoken => RUN_DECISIONS.some((kind) => kind === input.type);

/**
 * Takes what was said to a run by name alone. Where it needs authority, the process that says it vouches for the name,
 * as it would at a gate; where people have keys or are authenticated, that is not enough.
 */
export async function decideByName(room: RunDecisionRoom, runId: string, input: EventBody): Promise<RunOutcome> {
  if (!isRunDecision(input)) return await room.deliver(runId, input);
  const { type, by, proof, ...said } = input;
  if (proof !== undefined) throw new Fault('event_illegal', 'what proves who decided is established, not told');
  // Whoever asked for a run may always take that back: it gives nobody any authority.
  if (type === 'run_cancelled' && isRequester(await room.look(runId), by)) return await room.deliver(runId, input);
  return await decide(room, runId, type, said as JsonObject, { kind: 'local_operator', name: by });
}

/** `told` goes on record with the decision, and is nothing that its maker has said. */
export async function decide(
  room: RunDecisionRoom,
  run_id: string,
  decision: RunDecisionKind,
  said: JsonObject,
  credential: Credential,
  told: JsonObject = {},
): Promise<RunOutcome> {
  const state = await room.look(run_id);
  const { id, session } = state;
  const established = await room.approvers.establish({
    text: (key_id, signed_at) => runStatementText({ run_id, decision, said, key_id, signed_at }),
    credential: parse(Credential, credential, 'input_invalid'),
    tenantId: id.tenantId,
    since: session.suspendedAt ?? session.startedAt,
  });
  const refuse = refusing(room, state, decision, said);
  if (!established.ok) return await refuse(established.claimedBy, new Fault(established.code, established.message));
  const { approver: by, proof } = established;
  const input = parseEventBody({ type: decision, ...told, ...said, by, proof });
  try {
    return await room.deliver(run_id, input);
  } catch (error) {
    if (!Fault.is(error) || !isRefusal(error)) throw error;
    return await refuse(by, error);
  }
}

/** Puts a refusal on record, as at a gate. A run at work that this process does not drive is left alone. */
function refusing(
  { note }: RunDecisionRoom,
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
