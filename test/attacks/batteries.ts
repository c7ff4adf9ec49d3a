import { approvals } from './batteries/approvals.ts';
import { files } from './batteries/files.ts';
import { policy } from './batteries/policy.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, files, policy];
