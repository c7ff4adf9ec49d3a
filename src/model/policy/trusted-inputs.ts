import { z } from 'zod';
import { exact } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';

/**
 * The type of an input that the host vouches for. `id` is one token, `amount` a number or a decimal text, an enum one of
 * its values. `any` also trusts text, so it is only for text that the requester wrote.
 */
export type TrustedInput = 'id' | 'amount' | 'any' | { readonly enum: readonly (string | number | boolean)[] };
export const TrustedInput: z.ZodType<TrustedInput> = exact(
  z.union([
    z.enum(['id', 'amount', 'any']),
    z.strictObject({ enum: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1) }),
  ]),
);

/** The trusted inputs by name, such as `{ order_id: 'id', tier: { enum: ['gold', 'silver'] } }`. */
export type TrustedInputs = Readonly<Record<string, TrustedInput>>;
export const TrustedInputs: z.ZodType<TrustedInputs> = exact(z.record(Name, TrustedInput));

/** One token. It has no `@`, dot or slash, so an address or a link is no id. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_:-]{0,63}$/u;
const AMOUNT = /^-?\d{1,15}(?:\.\d{1,15})?$/u;

/** Whether a value fits its declared type. Recorded runs depend on this rule, so a change needs a new type name. */
export function fitsTrustedInput(type: TrustedInput, value: Json): boolean {
  if (type === 'any') return true;
  if (typeof type === 'object') return type.enum.some((each) => each === value);
  if (typeof value === 'number') return type === 'amount' || Number.isSafeInteger(value);
  return typeof value === 'string' && (type === 'id' ? ID : AMOUNT).test(value);
}
