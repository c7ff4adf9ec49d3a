import { z } from 'zod';
import { isRequester } from '../kernel/decider.ts';
import type { RunState } from '../kernel/state.ts';
import { isHeld } from '../kernel/suspend.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { Text } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { RUN_DECISIONS, type RunDecisionKind, runStatementText } from '../model/run-statement.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import { isRefusal } from './decide-gate.ts';
import { given, named } from './given.ts';
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
}

export interface BudgetAnswer extends RunAnswer {
  /** By how much each counter grows. */
  readonly delta: Readonly<Record<string, number>>;
  /** Of what the person was shown, where the run waits for an answer. */
  readonly packetHash?: string;
}

/** What takes a person's authority. Each is established like the decision of a gate, and recorded with its proof. */
export interface RunDecisions {
  decideEscalation(runId: string, answer: EscalationAnswer): Promise<RunOutcome>;
  extendBudget(runId: string, answer: BudgetAnswer): Promise<RunOutcome>;
  /** Lets a session go on that was paused. */
  resumeSession(runId: string, credential: Credential): Promise<RunOutcome>;
  cancel(runId: string, answer: RunAnswer): Promise<RunOutcome>;
}

export interface RunDecisionRoom {
  readonly approvers: Approvers;
  /** How the run stands, without taking it over. */
  readonly look: (runId: string) => Promise<RunState>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  /** Brings an event to a run and nothing else; `take` a run over that this process does not hold yet, or leave it. */
  readonly note: (runId: string, input: EventBody, take: boolean) => Promise<void>;
}

const fields = { credential: Credential, reason: Text } as const;
const Escalation: z.ZodType<EscalationAnswer> = z.strictObject({
  ...fields,
  decision: z.enum(['continue', 'finalize', 'terminate']),
  packetHash: z.string().max(200),
});
const Budget: z.ZodType<BudgetAnswer> = z.strictObject({
  ...fields,
  delta: z.record(z.string(), z.number()),
  packetHash: z.string().max(200).exactOptional(),
});
const Plain: z.ZodType<RunAnswer> = z.strictObject(fields);

export function runDecisions(room: RunDecisionRoom): RunDecisions {
  return {
    decideEscalation: async (runId, answer) => {
      const { credential, decision, reason, packetHash } = parse(Escalation, given(answer), 'input_invalid');
      const said = { decision, reason, packet_hash: packetHash };
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

async function decide(
  room: RunDecisionRoom,
  run_id: string,
  decision: RunDecisionKind,
  said: JsonObject,
  credential: Credential,
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
  const input = parseEventBody({ type: decision, ...said, by, proof });
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
