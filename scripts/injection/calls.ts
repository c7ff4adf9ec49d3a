import { canonicalize } from '../../src/model/canonical.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { own } from '../../src/model/own.ts';
import type { RecordedCall, SuiteTool } from './suites.ts';

/**
 * A reader in quarantine: it is shown results, answers one question about them, and can do nothing else. What it answers
 * is as little trusted as what it was shown.
 */
export const READER = 'bench:read_out';
/** Says that there is nothing left to do. */
export const FINISH = 'bench:finish';

/** One step that a planner wants, and what will come of it: a recorded call, or what the reader says. */
export type Wanted = { readonly stepId: string; readonly tool: string; readonly params: JsonObject } & (
  | { readonly call: RecordedCall; readonly reading?: never }
  | { readonly reading: Json; readonly call?: never }
);

/** The same call, word for word, arguments that stand for themselves filled in or not. */
export function isSameCall(recorded: RecordedCall, tool: SuiteTool, args: JsonObject): boolean {
  if (recorded.function !== tool.name) return false;
  const keys = new Set([...Object.keys(recorded.args), ...Object.keys(args)]);
  const value = (given: JsonObject, key: string): Json | undefined => own<Json>(given, key) ?? defaultOf(tool, key);
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

/** Whether a call does more than look. */
export const hasEffect = ({ approval_mode, state_changed }: RecordedCall): boolean =>
  approval_mode !== 'read_only' || state_changed;
