import {
  type Allotment,
  BUDGET_ROLES,
  type Budget,
  type BudgetCounter,
  type Tally,
} from '../../../model/budget/budget.ts';
import type { Effect } from '../../../model/events/effect.ts';
import { isOutside, type OutsideKind } from '../../../model/events/effect-kinds.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { type Law, type Moment, takenBackBy } from './law.ts';

/** The counted dimensions, listed again: a law that shared its table with the code would share its mistakes. */
const CAP_OF: Readonly<Record<BudgetCounter, { readonly cap: keyof Allotment; readonly scale: number }>> = {
  input_tokens: { cap: 'input_tokens_max', scale: 1 },
  output_tokens: { cap: 'output_tokens_max', scale: 1 },
  tool_calls: { cap: 'tool_calls_max', scale: 1 },
  external_api_calls: { cap: 'external_api_calls_max', scale: 1 },
  cost_microusd: { cap: 'inference_cost_usd_max', scale: 1_000_000 },
  tool_spend_microusd: { cap: 'tool_spend_usd_max', scale: 1_000_000 },
  reflection_passes: { cap: 'reflection_passes_max', scale: 1 },
  memory_writes: { cap: 'memory_writes_max', scale: 1 },
  side_effects: { cap: 'side_effects_max', scale: 1 },
  steps: { cap: 'steps_max', scale: 1 },
  replan_attempts: { cap: 'replan_attempts_max', scale: 1 },
  lanes: { cap: 'lanes_max', scale: 1 },
};
const COUNTERS = Object.keys(CAP_OF) as readonly BudgetCounter[];

/**
 * Used plus reserved stays within every cap, unless a provider takes more than it was allowed. Such an overrun raises a
 * stop at once, and afterwards only compensations are sent. They are paid from their own account, outside the caps.
 */
export function budgetNeverOverdrawn(): Law {
  let overrun = false;
  return {
    name: 'budget never overdrawn',
    event: (moment) => {
      const { after, effects } = moment;
      if (after.budget === null) return null;
      const misbooked = misbookedRollback(moment);
      if (misbooked !== null) return misbooked;
      const sent = effects.find((effect) => isWork(moment, effect));
      if (overrun && sent !== undefined) return `${sent.kind} was sent after a provider overran a cap`;
      const over = overdrawn(after.budget);
      if (over === null) return null;
      overrun ||= after.ending.stops.some(({ reason }) => reason === 'provider_overrun');
      return overrun ? null : `${over} without a recorded overrun`;
    },
    end: (final) => {
      if (overrun && final.ending.terminal === null) return 'a provider overran a cap and the run did not end';
      return final.budget === null ? null : belowNothing(final.budget);
    },
  };
}

/** Effects that may not follow an overrun. Lanes, probes and what ends a run may. */
const SPENDS: Readonly<Record<OutsideKind, boolean>> = {
  propose_plan: true,
  draft_arguments: true,
  compose_answer: true,
  judge_sentences: true,
  call_tool: true,
  reflect: true,
  ask_judges: true,
  spawn_lane: false,
  end_lane: false,
  reconcile_call: false,
  probe_step: false,
  ask_user: false,
  read_intent: false,
  compress_context: false,
  write_memory: false,
  revoke_credentials: false,
  abort_flight: false,
};

function isWork({ after }: Moment, effect: Effect): boolean {
  if (!isOutside(effect) || !SPENDS[effect.kind]) return false;
  return effect.kind !== 'call_tool' || takenBackBy(after, effect.call) === null;
}

/** Costs that arrive during a rollback are booked to the rollback and nowhere else. */
function misbookedRollback({ before, event, after }: Moment): string | null {
  const [was, is] = [before.ending.rollback, after.ending.rollback];
  if (was?.at == null || (event.type !== 'step_observed' && event.type !== 'call_reconciled')) return null;
  const { spent } = event;
  const due = {
    calls: was.spent.calls + 1,
    input_tokens: was.spent.input_tokens + spent.input_tokens,
    output_tokens: was.spent.output_tokens + spent.output_tokens,
    microusd: was.spent.microusd + spent.microusd,
  };
  if (is === undefined || canonicalize({ ...is.spent }) !== canonicalize(due)) {
    return `${event.call_id} took something back and is not in what that has cost`;
  }
  const same = canonicalize({ ...before.budget?.used }) === canonicalize({ ...after.budget?.used });
  return same ? null : `${event.call_id} took something back and was paid for from the caps`;
}

function overdrawn(budget: Budget): string | null {
  const run = above(budget.caps, budget);
  if (run !== null) return `the run is at ${run}`;
  for (const role of BUDGET_ROLES) {
    const allotment = budget.caps.roles?.[role];
    const own = allotment === undefined ? null : above(allotment, budget.roles[role]);
    if (own !== null) return `the ${role} is at ${own}`;
  }
  return null;
}

function above(caps: Allotment, { used, reserved }: Tally): string | null {
  for (const counter of COUNTERS) {
    const { cap: name, scale } = CAP_OF[counter];
    const cap = caps[name];
    const taken = used[counter] + reserved[counter];
    if (cap !== undefined && taken > Math.round(cap * scale)) return `${taken} of ${cap * scale} ${counter}`;
  }
  return null;
}

function belowNothing({ used, reserved }: Budget): string | null {
  const negative = COUNTERS.find((counter) => used[counter] < 0 || reserved[counter] < 0);
  return negative === undefined ? null : `${negative} fell below nothing`;
}
