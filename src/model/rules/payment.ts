import { z } from 'zod';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';
import { Operation, Permitted } from './operation.ts';

/** Which calls only compare or prepare, and what must be right before anybody is asked to pay. */
export interface PaymentRules {
  readonly operation: Operation;
  /** The argument with the amount, and the most that one call may move, in every currency or currency by currency. */
  readonly amount: { readonly at: string; readonly max: number | Readonly<Record<string, number>> };
  readonly currency: Permitted;
  readonly vendor: Permitted;
  /** The chain of approval, or of payment, that the money goes through. */
  readonly chain: Permitted;
  readonly terms: Permitted;
  /** The argument with what is left of the budget it is booked on. */
  readonly budget: string;
  /** Where the answer says what was moved. */
  readonly moved?: { readonly amount: string; readonly currency: string };
}
export const PaymentRules: z.ZodType<PaymentRules> = z.strictObject({
  operation: Operation,
  amount: z.strictObject({
    at: Pointer,
    max: z.union([z.number().positive(), z.record(Statement, z.number().positive())]),
  }),
  currency: Permitted,
  vendor: Permitted,
  chain: Permitted,
  terms: Permitted,
  budget: Pointer,
  moved: z.strictObject({ amount: Pointer, currency: Pointer }).exactOptional(),
});
