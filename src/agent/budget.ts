import type { PartialCaps } from '../model/budget/budget.ts';
import type { AgentBudget } from '../model/run/agent.ts';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** Budget caps in camelCase: `toolCallsMax` for `tool_calls_max`. */
export type CapOptions = { readonly [Cap in keyof PartialCaps as Camel<Cap>]?: PartialCaps[Cap] };

/** The budget of a run: the caps of a risk profile, overridden by the caps listed here. */
export type BudgetOptions = CapOptions & { readonly profile?: string };

export function budgetOf({ profile, ...caps }: BudgetOptions, usual: string): AgentBudget {
  const overrides = Object.fromEntries(Object.entries(caps).map(([cap, most]) => [toSnakeCase(cap), most]));
  return { profile: profile ?? usual, overrides };
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
