import { PLAN_SIZES, verifyName } from '../contenders/contenders.ts';
import type { Medians } from './rounds.ts';

/** Target CPU time of one action cycle in µs. It is printed next to the result and not asserted. */
const LIMIT_US = 20;

/** The last line of `--json`. Peers are CPU µs per step, each in its fastest form. */
export interface Summary {
  /** `live` is the same cycle with the gateway's layers and the complete Critic. */
  readonly ambit: { readonly us_per_step: number; readonly live_us_per_step: number };
  readonly limit: number;
  readonly peers: { readonly langgraph: number; readonly mastra: number; readonly bare: number };
  /** µs per step of the best peer divided by Ambit's. The bare loop does not count. */
  readonly ratio_to_best_peer: number;
  /** Time per step in the longest plan divided by that in the shortest: 1 is linear. */
  readonly verify_growth: number;
}

export function summarize(medians: Medians): Summary {
  const ours = at(medians, 'ambit');
  const langgraph = Math.min(at(medians, 'langgraph_chain'), at(medians, 'langgraph_functional'));
  const mastra = Math.min(at(medians, 'mastra_chain'), at(medians, 'mastra_loop'));
  const shortest = at(medians, verifyName(PLAN_SIZES[0]));
  const longest = at(medians, verifyName(PLAN_SIZES[PLAN_SIZES.length - 1] ?? PLAN_SIZES[0]));
  return {
    ambit: { us_per_step: round(ours), live_us_per_step: round(at(medians, 'ambit_live')) },
    limit: LIMIT_US,
    peers: { langgraph: round(langgraph), mastra: round(mastra), bare: round(at(medians, 'bare')) },
    ratio_to_best_peer: round(Math.min(langgraph, mastra) / ours),
    verify_growth: round(longest / shortest),
  };
}

function at(medians: Medians, name: string): number {
  const value = medians.get(name);
  if (value === undefined) throw new Error(`${name} was not measured`);
  return value;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
