import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { DryRun } from '../plan/dry-run.ts';
import { Plan } from '../plan/plan.ts';
import { Endpoint } from './escalation.ts';
import { Deciders } from './gate.ts';
import { InfoExchange } from './info-exchange.ts';

/** A plan as shown to an approver: its goal, its steps, and their effects. */
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
  /** Earlier questions about this packet, and their answers. */
  readonly exchange?: readonly InfoExchange[];
}
export const PlanPacket: z.ZodType<PlanPacket> = exactObject({
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
