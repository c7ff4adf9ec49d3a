import type { PartialCaps } from '../model/budget/budget.ts';
import { BUDGET_PRESETS, type BudgetPreset, type Camel, capOption } from '../model/budget/budget-profile.ts';
import { CAPPED_DIMENSIONS } from '../model/budget/dimensions.ts';
import type { Fault } from '../model/fault/fault.ts';
import { pointerToken } from '../model/json/pointer.ts';
import type { AgentBudget } from '../model/run/agent.ts';
import { unknownMessage } from '../model/text/nearest.ts';

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
    throw wrong('/budget', `${unknownMessage([budget], BUDGET_PRESETS, 'budget')}, or state caps`);
  }
  const { profile = usual, ...caps } = budget;
  const strange = Object.keys(caps).filter((option) => !KNOWN.has(option));
  const [first] = strange;
  if (first !== undefined) {
    throw wrong(`/budget${pointerToken(first)}`, `budget: ${unknownMessage(strange, [...KNOWN.keys()], 'cap')}`);
  }
  const overrides = Object.fromEntries(Object.entries(caps).map(([option, most]) => [KNOWN.get(option), most]));
  return { profile, overrides };
}
