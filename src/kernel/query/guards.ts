import type { Json } from '../../model/json/json.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { GuardTable } from '../graph/compile.ts';
import type { GuardName } from '../graph/guard-names.ts';
import type { RunState } from '../state/run-state.ts';
import { vecGet } from '../state/vec.ts';
import { reflectionRow } from './critic-input/reflection.ts';

/** The guards of the standard graphs. Each depends on the state alone, so replay evaluates them to the same result. */
const SHIPPED: { readonly [G in GuardName]: (state: RunState) => boolean } = {
  'request_valid@1': (s) => s.intake.goal !== null,
  'intent_confident@1': (s) => s.intake.intent !== null,
  'intent_unclear@1': (s) => s.people.question !== null,
  'token_valid@1': (s) => s.intake.token !== null && s.intake.cleared,
  'manifest_stored@1': (s) => s.manifest !== null && s.budget !== null,
  'plan_proposed@1': (s) => s.planning.proposal !== null || s.planning.active !== null,
  'plan_from_host@1': (s) => s.planning.author === 'host',
  'structured_output@1': (s) => isStructured(s.planning.proposal),
  'plan_ok@1': (s) => s.planning.verdict === 'ok' && s.planning.active !== null,
  'answer_permitted@1': (s) => s.planning.verdict === 'ok' && isAnswer(s.planning.active?.plan),
  'plan_pending_approval@1': (s) => s.planning.verdict === 'ok' && !s.planning.approved,
  'plan_approved@1': (s) => s.planning.verdict === 'ok' && s.planning.active !== null && s.planning.approved,
  'step_selected@1': stepSelected,
  'call_cleared@1': (s) => s.current?.rung === 'attempted',
  'needs_approval@1': (s) => s.current?.rung === 'cleared',
  'missing_input@1': (s) => s.people.question !== null,
  'call_dispatched@1': (s) => s.current?.rung === 'observed',
  'observation_stored@1': (s) => s.current?.observed != null,
  'observation_verified@1': (s) => s.current?.rung === 'committed',
  'verification_failed@1': (s) => s.current?.rung === 'failed' || s.planning.verdict === 'replan',
  'repair_allowed@1': repairAllowed,
  'approval_recorded@1': (s) => s.people.undecided === 0 && s.people.decision === 'continue',
  'finish_recorded@1': (s) => s.people.undecided === 0 && s.people.decision === 'finish',
  'answered@1': (s) => s.people.question === null && !s.intake.rescope,
  'answer_changes_scope@1': (s) => s.people.question === null && s.intake.rescope,
  'state_committed@1': (s) => s.current?.rung === 'committed',
  'incomplete_with_budget@1': (s) => !s.ending.criteriaMet && s.ending.stops.length === 0,
  'criteria_met@1': (s) => s.ending.criteriaMet,
  'response_fixed@1': (s) => s.ending.response !== null,
  'stop_pending@1': (s) => s.ending.stops.length > 0,
  'escalation_pending@1': (s) => s.people.escalation !== null,
};

/** Requires repairs in a row, retries in a row and tool calls to be within their limits. */
function repairAllowed({ budget, counters, ending }: RunState): boolean {
  if (budget === null || ending.stops.length > 0) return false;
  const { retry_count_max, tool_calls_max } = budget.caps;
  const callsLeft = tool_calls_max - budget.used.tool_calls - budget.reserved.tool_calls;
  return (
    counters.repairsInARow <= reflectionRow('tool_failure').passesMax &&
    budget.retries_in_a_row <= retry_count_max &&
    (callsLeft > 0 || tool_calls_max === 0)
  );
}

/** Whether a plan can answer by itself: in words, or with an output of facts that earlier plans have committed. */
const isAnswer = (plan: Plan | undefined): boolean => (plan?.answer ?? plan?.reply ?? plan?.output) !== undefined;

const isStructured = (proposal: Json | null): boolean =>
  typeof proposal === 'object' && proposal !== null && Object.hasOwn(proposal, 'steps');

/** Whether the current step is pending and all its dependencies are committed. */
function stepSelected(state: RunState): boolean {
  const { active } = state.planning;
  if (state.current === null || active === null) return false;
  if (vecGet(state.work.progress, state.current.index)?.status !== 'pending') return false;
  for (const dependency of active.index.dependencies[state.current.index] ?? []) {
    if (vecGet(state.work.progress, dependency)?.status !== 'committed') return false;
  }
  return true;
}

export const GUARDS: GuardTable<RunState> = SHIPPED;
