import { PLAN_SIZES, verifyName } from '../contenders/contenders.ts';
import type { Medians } from './rounds.ts';

/** Target CPU time of one action cycle in µs. It is printed next to the result and not asserted. */
const LIMIT_US = 20;

/** The last line of `--json`. Peers are CPU µs per step, each in its fastest form. */
export interface Summary {
  readonly ambit: {
    /** The bare cycle: literal arguments, and a gateway and Critic that answer with constants. */
    readonly us_per_step: number;
    /** The bare cycle with bound arguments. */
    readonly bound_us_per_step: number;
    /** The bare cycle with the gateway's layers and the complete Critic. */
    readonly live_us_per_step: number;
    /** Whole runs: creation, intake, plan verification, bound arguments, gateway layers and Critic. */
    readonly full_us_per_step: number;
  };
  readonly limit: number;
  readonly peers: { readonly langgraph: number; readonly mastra: number; readonly bare: number };
  /** µs per step of the best peer divided by Ambit's bare cycle. The bare loop does not count. */
  readonly ratio_to_best_peer: number;
  /** µs per step of the best peer divided by Ambit's whole run. */
  readonly ratio_full: number;
  /** Time per step in the longest plan divided by that in the shortest: 1 is linear. */
  readonly verify_growth: number;
}

export function summarize(medians: Medians): Summary {
  const langgraph = Math.min(at(medians, 'langgraph_chain'), at(medians, 'langgraph_functional'));
  const mastra = Math.min(at(medians, 'mastra_chain'), at(medians, 'mastra_loop'));
  const shortest = at(medians, verifyName(PLAN_SIZES[0]));
  const longest = at(medians, verifyName(PLAN_SIZES[PLAN_SIZES.length - 1] ?? PLAN_SIZES[0]));
  return {
    ambit: {
      us_per_step: round(at(medians, 'ambit')),
      bound_us_per_step: round(at(medians, 'ambit_bound')),
      live_us_per_step: round(at(medians, 'ambit_live')),
      full_us_per_step: round(at(medians, 'ambit_full')),
    },
    limit: LIMIT_US,
    peers: { langgraph: round(langgraph), mastra: round(mastra), bare: round(at(medians, 'bare')) },
    ratio_to_best_peer: round(Math.min(langgraph, mastra) / at(medians, 'ambit')),
    ratio_full: round(Math.min(langgraph, mastra) / at(medians, 'ambit_full')),
    verify_growth: round(longest / shortest),
  };
}

function at(medians: Medians, name: string): number {
  const value = medians.get(name);
  if (value === undefined) throw new Error(`${name} was not measured`);
  return value;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
