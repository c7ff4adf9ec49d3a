import type { TerminalCode } from './terminal-code.ts';

/** What an ending means. `docs/reference/terminal-codes.md` is compared with this table both ways. */
export interface TerminalCodeRow {
  readonly classification: string;
  readonly trigger: string;
  readonly action: string;
}

// biome-ignore format: a table is read by its columns, one row a line
export const TERMINAL_CODE_TABLE: Readonly<Record<TerminalCode, TerminalCodeRow>> = {
  SUCCESS: { classification: 'normal completion', trigger: 'The goal is reached and validation, grounding and safety all hold.', action: 'Release the answer, close the task state, free resources, write the trace.' },
  PARTIAL_SUCCESS: { classification: 'graceful degradation', trigger: 'Every primary criterion holds, but some secondary work failed or could not be done.', action: 'Return what was done, say what was not, list it as unresolved, close or defer it.' },
  IMPOSSIBLE: { classification: 'explicit handback', trigger: 'No available tool, data, authority or budget can meet a condition the goal needs.', action: 'Stop and name what stands in the way.' },
  MISSING_INFO: { classification: 'explicit handback', trigger: 'A required field or choice was not given.', action: 'Suspend and ask for exactly that field; end only when the wait expires or is refused.' },
  AMBIGUOUS_INTENT: { classification: 'explicit handback', trigger: 'The goal can be read as plans or risk classes that contradict each other.', action: 'Suspend and offer the readings for a choice, or route to a person.' },
  CONFIRM_REQUIRED: { classification: 'human approval', trigger: 'The next action writes, spends, communicates or risks enough to need a person.', action: 'Suspend and present the approval packet.' },
  REVIEW_REQUIRED: { classification: 'human review', trigger: 'The work is regulated, disputed, uncertain or sensitive by policy.', action: 'Route state, evidence and recommendation to a review queue; release nothing before the decision.' },
  BUDGET_EXHAUSTED: { classification: 'system intercept', trigger: 'A budget dimension that the next action needs has nothing left.', action: 'Stop before the next call and record the whole budget and the dimension.' },
  TIMEOUT: { classification: 'system intercept', trigger: 'The run used up its wall clock; time spent waiting for people does not count.', action: 'End the run, free resources, return the timeout or hand the run over.' },
  VALIDATION_FAIL: { classification: 'quality halt', trigger: 'An output, observation, schema or result is still invalid after the permitted repairs.', action: 'Stop, or escalate where the risk is high.' },
  LOW_CONFIDENCE: { classification: 'quality halt', trigger: 'A score fell below the threshold of confidence.', action: 'Suspend and route to a stronger model, the user or a reviewer.' },
  SOURCE_CONFLICT: { classification: 'validation halt', trigger: 'Sources contradict each other on something the task depends on.', action: 'Freeze the disputed claim, keep the evidence of both sides, ask for a resolution.' },
  REPEATED_FAILURE: { classification: 'resilience halt', trigger: 'Calls, repairs or retries failed more often than allowed.', action: 'Open the breaker and return the failure or hand the run over.' },
  PERMISSION_DENIED: { classification: 'security guard', trigger: 'A tool, a datum, an action or a write lies outside the permissions of the run, or a person refused it.', action: 'Block it; go on only by a safe alternative; escalate repeated attempts.' },
  UNSAFE_DETECTION: { classification: 'safety guard', trigger: 'Injection, exfiltration, unsafe content, an unauthorised change or a breach of policy was found.', action: 'Fail closed, keep the trace, tell security where it is serious.' },
  UNAVAILABLE_DEP: { classification: 'dependency failure', trigger: 'A needed tool, store or provider is down and there is no safe degraded mode.', action: 'Stop and name the dependency.' },
  USER_CANCEL: { classification: 'explicit cancellation', trigger: 'The user or an operator stopped the run.', action: 'Stop, free resources, record who cancelled, keep the trace.' },
};
