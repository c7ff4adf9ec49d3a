import { Fault } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type {
  Attempted,
  Committed,
  Confirmed,
  Intended,
  Observed,
  Rung,
  TimeoutPolicy,
  Verified,
} from '../model/observation.ts';
import type { ToolOutcome } from '../model/tool.ts';
import { confirmedPart } from './grounding.ts';

/** What has to be written down before a call may leave. */
export interface Dispatch {
  readonly call_id: string;
  readonly idempotency_key: string;
  readonly attempt: number;
  readonly timeout_policy: TimeoutPolicy;
  readonly dispatch_before: number;
}

export function attempt(intended: Intended, dispatch: Dispatch, at: number): Attempted {
  climb(intended.rung, 'intended', intended.intended_at, at);
  const { step_id, tool, args_hash } = intended;
  return { rung: 'attempted', step_id, tool, args_hash, ...dispatch, attempted_at: at };
}

/** How a call came back. A failure is recorded as what it was and stays that on every rung. */
export interface Answer {
  readonly outcome: ToolOutcome;
  readonly raw: Address;
  readonly detail?: string;
  readonly trusted: boolean;
}

export function observe(attempted: Attempted, answer: Answer, at: number): Observed {
  climb(attempted.rung, 'attempted', attempted.attempted_at, at);
  return { rung: 'observed', call_id: attempted.call_id, source: attempted.tool, ...answer, observed_at: at };
}

/** Who looked at the answer, and for which part of it they vouch. */
export interface Confirmation {
  readonly confirmed: Confirmed;
  readonly validator_id: string;
}

export function verify(observed: Observed, confirmation: Confirmation, at: number): Verified {
  climb(observed.rung, 'observed', observed.observed_at, at);
  const { call_id, outcome, raw, source, trusted } = observed;
  return { rung: 'verified', call_id, outcome, raw, source, trusted, ...confirmation, verified_at: at };
}

/** Where the confirmed part of a payload becomes state. */
export interface CommitEntry {
  readonly payload: Json;
  readonly evidence_id: string;
  /** The version of the task state before this entry. */
  readonly version: number;
  readonly trace_pointer: Address;
}

/** The only way into the task state. Nothing below the fourth rung gets here, and nothing that nobody vouches for. */
export function commit(verified: Verified, entry: CommitEntry, at: number): Committed {
  climb(verified.rung, 'verified', verified.verified_at, at);
  const { call_id, outcome, source, trusted, validator_id } = verified;
  if (validator_id === '') throw new Fault('grounding_violation', `nobody vouches for call ${call_id}`);
  return {
    rung: 'committed',
    call_id,
    outcome,
    value: confirmedPart(entry.payload, verified.confirmed),
    evidence_id: entry.evidence_id,
    state_version: entry.version + 1,
    validator_id,
    source,
    trusted,
    trace_pointer: entry.trace_pointer,
    committed_at: at,
  };
}

/** The types forbid skipping a rung; a record that was read back is held to the same rule. */
function climb(rung: Rung, from: Rung, since: number, at: number): void {
  if (rung !== from) {
    throw new Fault(
      'illegal_grounding_transition',
      `a record that is ${String(rung)} cannot go on as if it were ${from}`,
    );
  }
  if (!(at >= since)) throw new Fault('time_went_backwards', `the next rung at ${at} is before ${from} at ${since}`);
}
