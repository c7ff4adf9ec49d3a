import { z } from 'zod';
import { ADDRESS_PATTERN, type Address } from './hash.ts';

/** The schema of an address. Apart from `hash.ts`, so that hashing needs no schema library. */
export const ContentAddress: z.ZodType<Address> = z.custom<Address>(
  (value) => typeof value === 'string' && ADDRESS_PATTERN.test(value),
  'must be sha256: and 64 lower-case hex digits',
);
