import { isJsonObject, type JsonObject } from '../model/json.ts';
import { sameJson } from '../model/json-at.ts';
import { own } from '../model/own.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { ObservedState, RunState } from './state.ts';

/** Fields in which providers say of which version an answer is. */
const VERSION_FIELD = /^(\$schema|v|([a-z0-9]+[_-])*version|[a-z]+Version)$/;

/**
 * Whether an answer says of itself that it is of another version: the output schema fixes a version field to one value,
 * and it has another one. That is no slip that a second call would mend; the provider has changed, and so has what its words mean.
 */
export function hasDrifted({ output_schema }: ToolSpec, { outcome, raw }: ObservedState): boolean {
  const properties = output_schema['properties'];
  if (outcome !== 'ok' || !isJsonObject(raw) || properties === undefined || !isJsonObject(properties)) return false;
  return Object.entries(properties).some(([name, schema]) => {
    if (!VERSION_FIELD.test(name)) return false;
    const said = own(raw, name);
    const fixed = isJsonObject(schema) ? own(schema as JsonObject, 'const') : undefined;
    return fixed !== undefined && said !== undefined && !sameJson(fixed, said);
  });
}

/** The tool is not for this run any more. What it answered is kept as it came. */
export function setAside(state: RunState, { name }: ToolSpec): RunState {
  const before = state.planning.setAside ?? [];
  return { ...state, planning: { ...state.planning, setAside: [...before, name] } };
}
