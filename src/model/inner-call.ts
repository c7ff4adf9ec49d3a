import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { jsonAt } from './json-at.ts';
import { type CallOrigin, CLEAN } from './origin.ts';
import type { ToolSpec } from './tool.ts';

/** A call as it will really be made: by the tool itself, or by the one a dispatcher passes it on to. */
export interface RealCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Dispatchers of dispatchers; nobody needs more, and a ring of them would never end. */
const DEPTH_MAX = 4;

/**
 * The calls behind a call, the outermost first: a tool that dispatches nothing is its own only one. Null where a
 * dispatcher does not say what it would call, or says it of a dispatcher without end.
 */
export function realCalls(
  outer: RealCall,
  specOf: (tool: string) => ToolSpec | undefined,
): readonly [RealCall, ...RealCall[]] | null {
  const calls: [RealCall, ...RealCall[]] = [outer];
  let call = outer;
  for (let unwrap = specOf(call.tool)?.unwrap; unwrap !== undefined; unwrap = specOf(call.tool)?.unwrap) {
    const tool: Json | undefined = jsonAt(call.args, unwrap.tool);
    const args: Json | undefined = jsonAt(call.args, unwrap.args);
    if (typeof tool !== 'string' || args === undefined || !isJsonObject(args) || calls.length > DEPTH_MAX) return null;
    call = { tool, args };
    calls.push(call);
  }
  return calls;
}

/**
 * What is untrusted about a dispatcher's envelope, as seen from the call inside. What stands outside the inner arguments,
 * such as the name of the tool, taints all of it, and no word that was said of the envelope speaks for what is in it.
 */
export function innerOrigin(origin: CallOrigin, { args }: NonNullable<ToolSpec['unwrap']>): CallOrigin {
  if (origin === CLEAN) return origin;
  const untrusted: Record<string, string> = {};
  for (const [pointer, source] of Object.entries(origin.untrusted)) {
    untrusted[pointer.startsWith(`${args}/`) ? pointer.slice(args.length) : ''] = source;
  }
  return { tainted: origin.tainted, untrusted, grant: null };
}
