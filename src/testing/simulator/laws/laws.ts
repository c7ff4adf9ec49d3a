import { approvedIsWhatRan } from './approved-is-what-ran.ts';
import { askedBeside } from './asked-beside.ts';
import { budgetNeverOverdrawn } from './budget-never-overdrawn.ts';
import { checkpointPerVerdict } from './checkpoint-per-verdict.ts';
import { effectsOnce } from './effects-once.ts';
import { endsWithACode } from './ends-with-a-code.ts';
import { groundedCommits } from './grounded-commits.ts';
import { lanesStayBelow } from './lanes-stay-below.ts';
import type { LawOf } from './law.ts';
import { legalTrajectory } from './legal-trajectory.ts';
import { noFaultOfItsOwn } from './no-fault-of-its-own.ts';
import { oneStepAtATime } from './one-step-at-a-time.ts';
import { planApprovedFirst } from './plan-approved-first.ts';
import { sessionLifecycle } from './session-lifecycle.ts';

/** What is asked of every event of every run. The laws about whole runs and about processes are with the simulator. */
export const EVENT_LAWS: readonly LawOf[] = [
  budgetNeverOverdrawn,
  legalTrajectory,
  groundedCommits,
  approvedIsWhatRan,
  planApprovedFirst,
  askedBeside,
  oneStepAtATime,
  effectsOnce,
  checkpointPerVerdict,
  sessionLifecycle,
  lanesStayBelow,
  endsWithACode,
  noFaultOfItsOwn,
];
