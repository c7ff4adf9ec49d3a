import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import { Instant, Name, Text } from './name.ts';

/** What whoever decides a gate wanted to know first, of whom, and what they were told. */
export interface InfoExchange {
  readonly asked_by: string;
  readonly asked_of: string;
  readonly question: string;
  readonly asked_at: Instant;
  readonly answered_by: string;
  /** The word of whoever answered, and nobody else's. */
  readonly text: string | null;
  /** Addresses of what they point to. */
  readonly evidence: readonly Address[];
  readonly answered_at: Instant;
}
export const InfoExchange: z.ZodType<InfoExchange> = z.strictObject({
  asked_by: Name,
  asked_of: Name,
  question: Text,
  asked_at: Instant,
  answered_by: Name,
  text: Text.nullable(),
  evidence: z.array(ContentAddress),
  answered_at: Instant,
});
