import type { FaultCode } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { printable } from '../../model/printable.ts';
import type { Permitted } from '../../model/rules/operation.ts';
import { textAt } from '../../model/rules/operation.ts';
import type { ProposedCall } from '../layers/layer.ts';

/** What a category says of one call: it may not be made, it may, or a person has to see it, with something to look at. */
export type Finding =
  | { readonly kind: 'refused'; readonly layer: 'schema' | 'risk'; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'gated'; readonly why: string; readonly preview?: JsonObject };

export const FREE: Finding = Object.freeze({ kind: 'free' });

export const gated = (why: string, preview?: JsonObject): Finding =>
  preview === undefined ? { kind: 'gated', why } : { kind: 'gated', why, preview };

/** The call is whole and reaches for something that is not for it. */
export const denied = (message: string): Finding => ({
  kind: 'refused',
  layer: 'risk',
  code: 'argument_not_allowed',
  message: printable(message),
});

/** The call does not say what it has to. */
export const incomplete = (message: string, code: FaultCode = 'argument_invalid'): Finding => ({
  kind: 'refused',
  layer: 'schema',
  code,
  message: printable(message),
});

/** The checks of one category, asked with its rules. The call's arguments fit its schema already. */
export type CategoryCheck<Rules> = (rules: Rules, call: ProposedCall) => Finding;

/** What stands against an argument that has to be one of a few values; null for nothing. */
export function outside(what: string, { at, allow }: Permitted, args: JsonObject): Finding | null {
  const said = textAt(args, at);
  if (said === null) return incomplete(`the call names no ${what} at ${at}`);
  return allow.includes(said) ? null : denied(`${what} ${said} is not permitted; there is ${allow.join(', ')}`);
}

/** The first that stands against it, in the order in which they are asked. */
export const firstOf = (...checks: readonly (() => Finding | null)[]): Finding | null => {
  for (const check of checks) {
    const finding = check();
    if (finding !== null) return finding;
  }
  return null;
};
