import { approvals } from './batteries/approvals.ts';
import { drafts } from './batteries/drafts.ts';
import { memory } from './batteries/memory.ts';
import { planners } from './batteries/planners.ts';
import { policy } from './batteries/policy.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, drafts, memory, planners, policy];
