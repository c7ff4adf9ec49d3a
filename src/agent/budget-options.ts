import type { PartialCaps } from '../model/budget/budget.ts';
import { BUDGET_PRESETS, type BudgetPreset, type Camel, capOption } from '../model/budget/budget-profile.ts';
import { CAPPED_DIMENSIONS } from '../model/budget/dimensions.ts';
import type { Fault } from '../model/fault/fault.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { AgentBudget } from '../model/run/agent.ts';
import { nearest } from './check/nearest.ts';

/** Budget caps in camelCase: `toolCallsMax` for `tool_calls_max`. */
export type CapOptions = { readonly [Cap in keyof PartialCaps as Camel<Cap>]?: PartialCaps[Cap] };

/** The budget of a run: the caps of a shipped budget or risk profile, overridden by the caps listed here. */
export type BudgetOptions = CapOptions & { readonly profile?: string };

const KNOWN: ReadonlyMap<string, string> = new Map(
  [...CAPPED_DIMENSIONS.map((dimension) => `${dimension}_max`), 'replan_rationale', 'roles'].map((cap) => [
    capOption(cap),
    cap,
  ]),
);

/** Reads the budget of an agent or a lane. `wrong` creates the fault for an option of that agent or lane. */
export function budgetOf(
  budget: BudgetPreset | BudgetOptions,
  usual: string,
  wrong: (path: string, message: string) => Fault,
): AgentBudget {
  if (typeof budget === 'string') {
    if (BUDGET_PRESETS.includes(budget)) return { profile: budget, overrides: {} };
    const known = BUDGET_PRESETS.join(', ');
    throw wrong('/budget', `there is no budget ${printable(budget)}; there are ${known}, or state caps`);
  }
  const { profile = usual, ...caps } = budget;
  const overrides = Object.fromEntries(
    Object.entries(caps).map(([option, most]) => {
      const cap = KNOWN.get(option);
      if (cap !== undefined) return [cap, most];
      const message = `budget has no cap ${printable(option)}: did you mean ${nearest(option, [...KNOWN.keys()])}?`;
      throw wrong(`/budget${pointerToken(option)}`, message);
    }),
  );
  return { profile, overrides };
}
