import { approvals } from './batteries/approvals.ts';
import { policy } from './batteries/policy.ts';
import { sealing } from './batteries/sealing.ts';
import { tenants } from './batteries/tenants.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, policy, tenants, sealing];
