import { approvals } from './batteries/approvals.ts';
import { lanes } from './batteries/lanes.ts';
import { policy } from './batteries/policy.ts';
import { serve } from './batteries/serve.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, policy, lanes, serve];
