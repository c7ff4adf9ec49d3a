import { approvals } from './batteries/approvals.ts';
import { args } from './batteries/arguments.ts';
import { bundles } from './batteries/bundles.ts';
import { files } from './batteries/files.ts';
import { policy } from './batteries/policy.ts';
import { regexes } from './batteries/regexes.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [approvals, args, bundles, files, policy, regexes];
