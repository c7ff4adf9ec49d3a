import type { FaultCode } from '../../model/fault/fault.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import { type Permitted, textAt } from '../../model/tool/rules/operation.ts';
import type { ProposedCall } from '../layers/layer.ts';

/** The result of a category check: refused, permitted, or permitted after approval with a preview for the approver. */
export type CategoryFinding =
  | { readonly kind: 'refused'; readonly layer: 'schema' | 'risk'; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'gated'; readonly why: string; readonly preview?: JsonObject };

export const FREE: CategoryFinding = Object.freeze({ kind: 'free' });

export const gated = (why: string, preview?: JsonObject): CategoryFinding =>
  preview === undefined ? { kind: 'gated', why } : { kind: 'gated', why, preview };

/** Refuses a complete call because it reaches for something that is not permitted. */
export const denied = (message: string): CategoryFinding => ({
  kind: 'refused',
  layer: 'risk',
  code: 'argument_not_allowed',
  message: printable(message),
});

/** Refuses a call because something required is missing. */
export const incomplete = (message: string, code: FaultCode = 'argument_invalid'): CategoryFinding => ({
  kind: 'refused',
  layer: 'schema',
  code,
  message: printable(message),
});

/** The check of one category with the rules of a tool. The arguments already fit the tool's schema. */
export type CategoryCheck<Rules> = (rules: Rules, call: ProposedCall) => CategoryFinding;

/** Refuses an argument that is not one of the allowed values; null if it is. */
export function refuseUnlessAllowed(what: string, { at, allow }: Permitted, args: JsonObject): CategoryFinding | null {
  const value = textAt(args, at);
  if (value === null) return incomplete(`the call names no ${what} at ${at}`);
  return allow.includes(value) ? null : denied(`${what} ${value} is not permitted; there is ${allow.join(', ')}`);
}

/** Returns the first refusal in the order of the checks, or null. */
export const firstFinding = (...checks: readonly (() => CategoryFinding | null)[]): CategoryFinding | null => {
  for (const check of checks) {
    const finding = check();
    if (finding !== null) return finding;
  }
  return null;
};
