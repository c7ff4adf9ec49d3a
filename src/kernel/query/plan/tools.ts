import { Fault } from '../../../model/fault/fault.ts';
import { realCalls } from '../../../model/tool/inner-call.ts';
import { addCost, type Idempotency, type ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { CurrentStep } from '../../state/run-state.ts';

export function specOf({ tools }: Pick<KernelEnv, 'tools'>, tool: string): ToolSpec {
  const spec = tools.get(tool);
  if (spec === undefined) throw new Fault('tool_not_allowed', `tool ${tool} is not in the registry of this run`);
  return spec;
}

type CallRef = Pick<CurrentStep, 'tool' | 'args'>;

/** The tools of a call, outermost first. The decisions about a dispatcher and about its inner tools both apply. */
export function realTools({ tools }: KernelEnv, { tool, args }: CallRef): readonly string[] {
  if (tools.get(tool)?.unwrap === undefined) return [tool];
  return realCalls({ tool, args }, (name) => tools.get(name))?.map((call) => call.tool) ?? [tool];
}

/** Whether the arguments of a call go beyond the run: it changes something, or another system answers it. */
export const leavesRun = ({ side_effect, external }: ToolSpec): boolean => side_effect || external;

/** The tool that has the effect of a call: the last one that a dispatcher passes it on to. */
export const effectTool = (env: KernelEnv, call: CallRef): string => realTools(env, call).at(-1) ?? call.tool;

/** The number of equal calls that the tool declares: of a dispatcher's call, the tool that has the effect decides. */
export function equalCallsMax(env: KernelEnv, call: CallRef): number | undefined {
  const { limits, unwrap } = specOf(env, call.tool);
  return unwrap === undefined ? limits?.equal_calls : specOf(env, effectTool(env, call)).limits?.equal_calls;
}

const NONE: readonly string[] = Object.freeze([]);

/** The inner tools of a dispatcher call; empty for other calls. */
export function innerTools(env: KernelEnv, callRef: CallRef): readonly string[] {
  return specOf(env, callRef.tool).unwrap === undefined ? NONE : realTools(env, callRef).slice(1);
}

/** The combined spec of a call: a dispatcher is never safer than its inner tools. */
export function specOfCall(env: KernelEnv, callRef: CallRef): ToolSpec {
  const outer = specOf(env, callRef.tool);
  if (outer.unwrap === undefined) return outer;
  return innerTools(env, callRef).reduce((combined, tool) => combineSpecs(combined, specOf(env, tool)), outer);
}

function combineSpecs(outer: ToolSpec, inner: ToolSpec): ToolSpec {
  return {
    ...outer,
    trusted: outer.trusted && inner.trusted,
    external: outer.external || inner.external,
    side_effect: outer.side_effect || inner.side_effect,
    idempotency: weaker(effectOf(outer), effectOf(inner)),
    cost: addCost(outer.cost, inner.cost),
  };
}

/** A tool without side effects can always be repeated. */
const effectOf = ({ side_effect, idempotency }: ToolSpec): Idempotency =>
  side_effect ? idempotency : { kind: 'natural' };

const RANK: Readonly<Record<Idempotency['kind'], number>> = { natural: 0, key: 1, none: 2 };

function weaker(a: Idempotency, b: Idempotency): Idempotency {
  if (a.kind === 'key' && b.kind === 'key') return a.retention_ms < b.retention_ms ? a : b;
  return RANK[a.kind] > RANK[b.kind] ? a : b;
}
