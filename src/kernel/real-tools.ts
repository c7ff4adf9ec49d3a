import { realCalls } from '../model/inner-call.ts';
import { addCost, type Idempotency, type ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import { specOf } from './spec-of.ts';
import type { CurrentStep } from './state.ts';

type Called = Pick<CurrentStep, 'tool' | 'args'>;

/** The tools behind the call at hand, the outermost first: a dispatcher's decisions and those of what it calls count both. */
export function realTools({ tools }: KernelEnv, { tool, args }: Called): readonly string[] {
  if (tools.get(tool)?.unwrap === undefined) return [tool];
  return realCalls({ tool, args }, (name) => tools.get(name))?.map((call) => call.tool) ?? [tool];
}

const NONE: readonly string[] = Object.freeze([]);

/** The tools that a call is passed on to; for nearly every call, none. */
export function toolsBehind(env: KernelEnv, called: Called): readonly string[] {
  return specOf(env, called.tool).unwrap === undefined ? NONE : realTools(env, called).slice(1);
}

/**
 * What a call may do, cost and be believed: that of its tool, and where the tool passes it on, of everything behind it.
 * An envelope makes nothing safer than what is in it.
 */
export function specOfCall(env: KernelEnv, called: Called): ToolSpec {
  const outer = specOf(env, called.tool);
  if (outer.unwrap === undefined) return outer;
  return toolsBehind(env, called).reduce((sofar, tool) => joined(sofar, specOf(env, tool)), outer);
}

function joined(outer: ToolSpec, inner: ToolSpec): ToolSpec {
  return {
    ...outer,
    trusted: outer.trusted && inner.trusted,
    external: outer.external || inner.external,
    side_effect: outer.side_effect || inner.side_effect,
    idempotency: weaker(effectOf(outer), effectOf(inner)),
    cost: addCost(outer.cost, inner.cost),
  };
}

/** What changes nothing can be repeated, whatever it says of itself. */
const effectOf = ({ side_effect, idempotency }: ToolSpec): Idempotency =>
  side_effect ? idempotency : { kind: 'natural' };

const RANK: Readonly<Record<Idempotency['kind'], number>> = { natural: 0, key: 1, none: 2 };

function weaker(a: Idempotency, b: Idempotency): Idempotency {
  if (a.kind === 'key' && b.kind === 'key') return a.retention_ms < b.retention_ms ? a : b;
  return RANK[a.kind] > RANK[b.kind] ? a : b;
}
