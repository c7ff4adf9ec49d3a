import type { Allotment, Budget, BudgetCounter, Tally } from '../../../model/budget.ts';
import { BUDGET_ROLES } from '../../../model/budget.ts';
import { canonicalize } from '../../../model/canonical.ts';
import type { Effect } from '../../../model/effect.ts';
import type { Law, Moment } from './law.ts';
import { takenBackBy } from './takes-back.ts';

/** The counted dimensions, written down once more: a law that shares its table with the code shares its mistakes. */
const CAPS: readonly (readonly [BudgetCounter, keyof Allotment, number])[] = [
  ['input_tokens', 'input_tokens_max', 1],
  ['output_tokens', 'output_tokens_max', 1],
  ['tool_calls', 'tool_calls_max', 1],
  ['external_api_calls', 'external_api_calls_max', 1],
  ['cost_microusd', 'inference_cost_usd_max', 1_000_000],
  ['tool_spend_microusd', 'tool_spend_usd_max', 1_000_000],
  ['reflection_passes', 'reflection_passes_max', 1],
  ['memory_writes', 'memory_writes_max', 1],
  ['side_effects', 'side_effects_max', 1],
  ['steps', 'steps_max', 1],
  ['replan_attempts', 'replan_attempts_max', 1],
  ['lanes', 'lanes_max', 1],
];

/**
 * Used and reserved together stay within every cap. Only a provider that took more than it was allowed can break one;
 * that is recorded as a stop at once, and nothing is sent out any more but what takes back: that is paid for outside the
 * caps, to the last unit in the account of its own.
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

const ASKS_A_MODEL: ReadonlySet<string> = new Set(['propose_plan', 'reflect', 'ask_judges', 'draft_arguments']);

function isWork({ after }: Moment, effect: Effect): boolean {
  if (effect.kind === 'call_tool') return takenBackBy(after, effect.call) === null;
  return ASKS_A_MODEL.has(effect.kind);
}

/** Whatever comes back while something is taken back is paid for there, and by nobody else. */
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
  for (const [counter, name, scale] of CAPS) {
    const cap = caps[name];
    const taken = used[counter] + reserved[counter];
    if (cap !== undefined && taken > Math.round(cap * scale)) return `${taken} of ${cap * scale} ${counter}`;
  }
  return null;
}

function belowNothing({ used, reserved }: Budget): string | null {
  const negative = CAPS.find(([counter]) => used[counter] < 0 || reserved[counter] < 0);
  return negative === undefined ? null : `${negative[0]} fell below nothing`;
}
