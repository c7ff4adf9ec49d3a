import { z } from 'zod';
import { exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name } from '../json/name.ts';
import type { SessionStatus } from '../run/session-status.ts';

export const TERMINAL_CODES = [
  'SUCCESS',
  'PARTIAL_SUCCESS',
  'IMPOSSIBLE',
  'MISSING_INFO',
  'AMBIGUOUS_INTENT',
  'CONFIRM_REQUIRED',
  'REVIEW_REQUIRED',
  'BUDGET_EXHAUSTED',
  'TIMEOUT',
  'VALIDATION_FAIL',
  'LOW_CONFIDENCE',
  'SOURCE_CONFLICT',
  'REPEATED_FAILURE',
  'PERMISSION_DENIED',
  'UNSAFE_DETECTION',
  'UNAVAILABLE_DEP',
  'USER_CANCEL',
] as const;
export type TerminalCode = (typeof TERMINAL_CODES)[number];
export const TerminalCode: z.ZodType<TerminalCode> = z.enum(TERMINAL_CODES);

/** The rules of one terminal code. A test compares its texts with `docs/reference/terminal-codes.md`. */
export interface TerminalCodeRow {
  /**
   * The precedence, 1 first, for a run with several stop conditions: protection, then cancellation by a person, then
   * system limits, then causes, then their quality symptoms, then success.
   */
  readonly rank: number;
  /** The session status of the code, unless the reason is an expired wait or a rejected approval. */
  readonly status: Extract<SessionStatus, 'completed' | 'cancelled' | 'failed'>;
  /** True if the record of the end shows the full budget. */
  readonly tells_budget: boolean;
  /** True if the run may undo its effects before it ends. After unsafe input nothing more is sent. */
  readonly takes_back: boolean;
  readonly classification: string;
  readonly trigger: string;
  readonly action: string;
  /** The ending in words for the person who asked. */
  readonly user_text: string;
}

// biome-ignore format: a table is read by its columns, one row a line
export const TERMINAL_CODE_TABLE: Readonly<Record<TerminalCode, TerminalCodeRow>> = {
  SUCCESS: { rank: 17, status: 'completed', tells_budget: false, takes_back: true, classification: 'normal completion', trigger: 'The goal is reached and validation, grounding and safety all hold.', action: 'Release the answer, close the task state, free resources, write the trace.', user_text: 'Your request is done.' },
  PARTIAL_SUCCESS: { rank: 16, status: 'completed', tells_budget: false, takes_back: true, classification: 'graceful degradation', trigger: 'Every primary criterion holds, but some secondary work failed or was not possible.', action: 'Return the finished work, list the rest as unresolved, and close or defer it.', user_text: 'Part of your request is done.' },
  IMPOSSIBLE: { rank: 8, status: 'failed', tells_budget: false, takes_back: true, classification: 'explicit handback', trigger: 'No available tool, data, authority or budget can meet a condition the goal needs.', action: 'Stop and name the condition that cannot be met.', user_text: 'I cannot do this.' },
  MISSING_INFO: { rank: 9, status: 'failed', tells_budget: false, takes_back: true, classification: 'explicit handback', trigger: 'A required field or choice is missing.', action: 'Suspend and ask for exactly that field; end only when the wait expires or the user refuses.', user_text: 'I could not go on, because information is missing. Please ask again with all details.' },
  AMBIGUOUS_INTENT: { rank: 10, status: 'failed', tells_budget: false, takes_back: true, classification: 'explicit handback', trigger: 'The goal has several readings whose plans or risk classes contradict each other.', action: 'Suspend and offer the readings for a choice, or route to a person.', user_text: 'I could not tell what you want me to do.' },
  CONFIRM_REQUIRED: { rank: 11, status: 'failed', tells_budget: false, takes_back: true, classification: 'human approval', trigger: 'The next action writes, spends, communicates or risks enough to need a person.', action: 'Suspend and present the approval packet.', user_text: 'I stopped, because this was not approved in time.' },
  REVIEW_REQUIRED: { rank: 12, status: 'failed', tells_budget: false, takes_back: true, classification: 'human review', trigger: 'The work is regulated, disputed, uncertain or sensitive by policy.', action: 'Route state, evidence and recommendation to a review queue; release nothing before the decision.', user_text: 'I stopped, because a person has to review this first.' },
  BUDGET_EXHAUSTED: { rank: 5, status: 'failed', tells_budget: true, takes_back: true, classification: 'system intercept', trigger: 'A budget dimension that the next action needs has nothing left.', action: 'Stop before the next call and record the full budget and the exhausted dimension.', user_text: 'I stopped, because this needs more work than I am allowed to do.' },
  TIMEOUT: { rank: 4, status: 'failed', tells_budget: true, takes_back: true, classification: 'system intercept', trigger: 'The run exceeded its wall-clock limit; time spent waiting for people does not count.', action: 'End the run, free resources, and return the timeout or hand the run over.', user_text: 'I stopped, because this took too long.' },
  VALIDATION_FAIL: { rank: 13, status: 'failed', tells_budget: false, takes_back: true, classification: 'quality halt', trigger: 'An output, observation, schema or result is still invalid after the permitted repairs.', action: 'Stop, or escalate if the risk is high.', user_text: 'I could not complete this with a result that I can rely on.' },
  LOW_CONFIDENCE: { rank: 14, status: 'failed', tells_budget: false, takes_back: true, classification: 'quality halt', trigger: 'A score fell below the confidence threshold.', action: 'Suspend and route to a stronger model, the user or a reviewer.', user_text: 'I am not sure enough of the result to show it.' },
  SOURCE_CONFLICT: { rank: 15, status: 'failed', tells_budget: false, takes_back: true, classification: 'validation halt', trigger: 'Sources contradict each other on something the task depends on.', action: 'Freeze the disputed claim, keep the evidence of both sides, and ask for a resolution.', user_text: 'My sources contradict each other, so I cannot answer this.' },
  REPEATED_FAILURE: { rank: 6, status: 'failed', tells_budget: false, takes_back: true, classification: 'resilience halt', trigger: 'Calls, repairs or retries failed more often than allowed.', action: 'Open the circuit breaker, and return the failure or hand the run over.', user_text: 'I tried several times and could not complete this.' },
  PERMISSION_DENIED: { rank: 2, status: 'failed', tells_budget: false, takes_back: true, classification: 'security guard', trigger: 'A tool, data item, action or write is outside the permissions of the run, or a person refused it.', action: 'Block it; continue only with a safe alternative; escalate repeated attempts.', user_text: 'I am not permitted to do this.' },
  UNSAFE_DETECTION: { rank: 1, status: 'failed', tells_budget: false, takes_back: false, classification: 'safety guard', trigger: 'Injection, exfiltration, unsafe content, an unauthorized change or a policy violation was detected.', action: 'Fail closed, keep the trace, and alert security if the finding is serious.', user_text: 'I cannot work on this request.' },
  UNAVAILABLE_DEP: { rank: 7, status: 'failed', tells_budget: false, takes_back: true, classification: 'dependency failure', trigger: 'A required tool, store or provider is down, and no safe degraded mode exists.', action: 'Stop and name the dependency.', user_text: 'A service that I need is not available. Please try again later.' },
  USER_CANCEL: { rank: 3, status: 'cancelled', tells_budget: false, takes_back: true, classification: 'explicit cancellation', trigger: 'The user or an operator stopped the run.', action: 'Stop, free resources, record who cancelled, keep the trace.', user_text: 'This request was cancelled.' },
};

/** Every terminal code, in order of precedence. */
export const PRECEDENCE: readonly TerminalCode[] = TERMINAL_CODES.toSorted(
  (a, b) => TERMINAL_CODE_TABLE[a].rank - TERMINAL_CODE_TABLE[b].rank,
);

const SUCCESSES: ReadonlySet<TerminalCode> = new Set(
  TERMINAL_CODES.filter((code) => TERMINAL_CODE_TABLE[code].status === 'completed'),
);
export const isSuccess = (code: TerminalCode): boolean => SUCCESSES.has(code);

/** Why a run succeeded without work: the message asked for no action, or for one that is not the agent's. */
export const REPLY_REASONS = ['answered_directly', 'declined'] as const;
export type ReplyReason = (typeof REPLY_REASONS)[number];
export const ReplyReason: z.ZodType<ReplyReason> = z.enum(REPLY_REASONS);

/** A condition that ends a run. Several may hold at once; the precedence selects one. */
export interface Stop {
  readonly code: TerminalCode;
  readonly reason: string;
  readonly detail?: JsonObject;
}
export const Stop: z.ZodType<Stop> = exactObject({
  code: TerminalCode,
  reason: Name,
  detail: JsonRecord.exactOptional(),
});
