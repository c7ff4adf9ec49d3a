import { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';
import { Operation, Permitted } from './operation.ts';

/** The calls that only compare or prepare, and the checks a payment must pass before it reaches an approver. */
export interface PaymentRules {
  readonly operation: Operation;
  /** The argument with the amount, and the maximum of one call, for every currency or per currency. */
  readonly amount: { readonly at: string; readonly max: number | Readonly<Record<string, number>> };
  readonly currency: Permitted;
  readonly vendor: Permitted;
  /** The chain of approval, or of payment, that the money goes through. */
  readonly chain: Permitted;
  readonly terms: Permitted;
  /** The argument with the remaining budget. */
  readonly budget: string;
  /** Pointers into the answer: the amount and currency that were paid. */
  readonly moved?: { readonly amount: string; readonly currency: string };
}
export const PaymentRules: z.ZodType<PaymentRules> = exactObject({
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
