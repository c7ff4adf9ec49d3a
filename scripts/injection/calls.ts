import { canonicalize } from '../../src/model/json/canonical.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../src/model/json/json.ts';
import type { RecordedCall, SuiteTool } from './suites.ts';

/**
 * A quarantined reader: it receives results, answers one question about them, and can do nothing else. Its answer is as
 * untrusted as its input.
 */
export const READER = 'bench:read_out';
/** The tool that ends a task. */
export const FINISH = 'bench:finish';

/** One step of a plan with its outcome: a recorded call, or the reader's answer. */
export type Wanted = { readonly stepId: string; readonly tool: string; readonly params: JsonObject } & (
  | { readonly call: RecordedCall; readonly reading?: never }
  | { readonly reading: Json; readonly call?: never }
);

/** Whether two calls are equal after filling in default arguments. */
export function isSameCall(recorded: RecordedCall, tool: SuiteTool, args: JsonObject): boolean {
  if (recorded.function !== tool.name) return false;
  const keys = new Set([...Object.keys(recorded.args), ...Object.keys(args)]);
  const value = (callArgs: JsonObject, key: string): Json | undefined =>
    own<Json>(callArgs, key) ?? defaultOf(tool, key);
  return [...keys].every((key) => {
    const [a, b] = [value(recorded.args, key), value(args, key)];
    return a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b);
  });
}

function defaultOf({ input_schema }: SuiteTool, key: string): Json | undefined {
  const properties = own<Json>(input_schema, 'properties');
  const property = isJsonObject(properties) ? own<Json>(properties, key) : undefined;
  return isJsonObject(property) ? own<Json>(property, 'default') : undefined;
}

/** Whether a call does more than read. */
export const hasEffect = ({ approval_mode, state_changed }: RecordedCall): boolean =>
  approval_mode !== 'read_only' || state_changed;
