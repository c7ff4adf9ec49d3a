import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { DryRun } from './dry-run.ts';
import { Endpoint } from './escalation.ts';
import { Deciders } from './gate.ts';
import type { Address } from './hash.ts';
import { InfoExchange } from './info-exchange.ts';
import { Instant, Name, Text } from './name.ts';
import { Plan } from './plan.ts';

/** A whole plan before a person: what it is for, each of its steps, and what they would do. */
export interface PlanPacket {
  readonly gate: string;
  readonly kind: 'plan';
  readonly run_id: string;
  readonly plan_id: string;
  readonly plan_hash: Address;
  readonly task: string;
  readonly plan: Plan;
  readonly dry_run: DryRun;
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  readonly deciders: Deciders;
  readonly expires_at: Instant;
  /** What was asked and answered about it before, if anything was. */
  readonly exchange?: readonly InfoExchange[];
}
export const PlanPacket: z.ZodType<PlanPacket> = z.strictObject({
  gate: Name,
  kind: z.literal('plan'),
  run_id: Name,
  plan_id: Name,
  plan_hash: ContentAddress,
  task: Text,
  plan: Plan,
  dry_run: DryRun,
  requested_by: Name,
  requested_from: Endpoint,
  deciders: Deciders,
  expires_at: Instant,
  exchange: z.array(InfoExchange).exactOptional(),
});
