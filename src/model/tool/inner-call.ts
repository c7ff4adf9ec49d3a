import { type CallOrigin, CLEAN } from '../evidence/origin.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { jsonAt } from '../json/json-at.ts';
import { innerArguments } from './inner-arguments.ts';
import type { ToolSpec, ToolUnwrap } from './tool.ts';

/** A call as it is executed: by the tool itself, or by the tool a dispatcher forwards to. */
export interface RealCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Maximum nesting of dispatchers; it also ends a cycle of dispatchers. */
const DEPTH_MAX = 4;

/**
 * Lists a call and the calls nested in it, outermost first. A call without a dispatcher yields only itself. Returns
 * null if a dispatcher does not state its inner call, or if the nesting exceeds `DEPTH_MAX`.
 */
export function realCalls(
  outer: RealCall,
  specOf: (tool: string) => { readonly unwrap?: ToolUnwrap } | undefined,
): readonly [RealCall, ...RealCall[]] | null {
  const calls: [RealCall, ...RealCall[]] = [outer];
  let call = outer;
  for (let unwrap = specOf(call.tool)?.unwrap; unwrap !== undefined; unwrap = specOf(call.tool)?.unwrap) {
    const tool: Json | undefined = jsonAt(call.args, unwrap.tool);
    const args = innerArguments(unwrap, call.args);
    if (typeof tool !== 'string' || args === null || calls.length > DEPTH_MAX) return null;
    call = { tool, args };
    calls.push(call);
  }
  return calls;
}

/**
 * Translates the untrusted pointers of a dispatcher's arguments to the inner call. An untrusted value outside the inner
 * arguments, such as the tool name, taints the entire inner call. A grant for the outer call does not carry over.
 */
export function innerOrigin(origin: CallOrigin, { args }: NonNullable<ToolSpec['unwrap']>): CallOrigin {
  if (origin === CLEAN) return origin;
  const untrusted: Record<string, string> = {};
  for (const [pointer, source] of Object.entries(origin.untrusted)) {
    untrusted[pointer.startsWith(`${args}/`) ? pointer.slice(args.length) : ''] = source;
  }
  return { tainted: origin.tainted, untrusted, grant: null };
}
