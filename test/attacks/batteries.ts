import { answers } from './batteries/answers.ts';
import { approvals } from './batteries/approvals.ts';
import { args } from './batteries/arguments.ts';
import { bitFlipsBattery } from './batteries/bit-flips.ts';
import { bundles } from './batteries/bundles.ts';
import { credentials } from './batteries/credentials.ts';
import { drafts } from './batteries/drafts.ts';
import { files } from './batteries/files.ts';
import { forks } from './batteries/forks.ts';
import { fuzz } from './batteries/fuzz.ts';
import { lanes } from './batteries/lanes.ts';
import { memory } from './batteries/memory.ts';
import { planners } from './batteries/planners.ts';
import { policy } from './batteries/policy.ts';
import { regexes } from './batteries/regexes.ts';
import { sealing } from './batteries/sealing.ts';
import { serve } from './batteries/serve.ts';
import { storeEdits } from './batteries/store-edits.ts';
import { tenants } from './batteries/tenants.ts';
import type { Battery } from './battery.ts';

/** Every battery, in the order of `docs/security.md`. */
export const BATTERIES: readonly Battery[] = [
  approvals,
  credentials,
  storeEdits,
  bitFlipsBattery,
  lanes,
  policy,
  forks,
  args,
  planners,
  answers,
  drafts,
  memory,
  regexes,
  files,
  bundles,
  serve,
  tenants,
  sealing,
  fuzz,
];
