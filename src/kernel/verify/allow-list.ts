import type { Json, JsonObject } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { sameJson } from './same-json.ts';

/** Arguments in hand against the values the registry permits. An argument that is not given breaks nothing. */
export function checkAllowList({ argument_allow: lists = {} }: ToolSpec, args: JsonObject): readonly Problem[] {
  return Object.entries(lists).flatMap(([name, values]) => {
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    if (given === undefined || values.some((value) => sameJson(value, given))) return [];
    return [notAllowed(pointerToken(name))];
  });
}

/** The same rule as a schema, for arguments that are still to come: an `enum` for each name that is listed. */
export function allowListSchema({ argument_allow: lists = {} }: ToolSpec): JsonObject {
  const properties = Object.entries(lists).map(([name, values]): [string, Json] => [name, { enum: values }]);
  return { properties: Object.fromEntries(properties) };
}

export function notAllowed(path: string): Problem {
  return { code: 'argument_not_allowed', path, message: `the value of ${path.slice(1)} is not on its allow-list` };
}
