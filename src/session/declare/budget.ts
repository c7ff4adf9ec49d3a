import type { AgentBudget } from '../../model/agent.ts';
import type { PartialCaps } from '../../model/budget.ts';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** Caps as a program writes them: `toolCallsMax` for `tool_calls_max`. */
export type CapOptions = { readonly [Cap in keyof PartialCaps as Camel<Cap>]?: PartialCaps[Cap] };

/** What a run may spend: caps, over the published ones of a risk profile. */
export type BudgetOptions = CapOptions & { readonly profile?: string };

export function budgetOf({ profile, ...caps }: BudgetOptions, usual: string): AgentBudget {
  const overrides = Object.fromEntries(Object.entries(caps).map(([cap, most]) => [snake(cap), most]));
  return { profile: profile ?? usual, overrides };
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
