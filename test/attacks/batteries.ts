import { answers } from './batteries/answers.ts';
import { approvals } from './batteries/approvals.ts';
import { forks } from './batteries/forks.ts';
import { fuzz } from './batteries/fuzz.ts';
import { policy } from './batteries/policy.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, answers, forks, policy, fuzz];
