import { approvedIsWhatRan } from './approved-is-what-ran.ts';
import { askedBeforeUse } from './asked-before-use.ts';
import { budgetNeverOverdrawn } from './budget-never-overdrawn.ts';
import { checkpointPerVerdict } from './checkpoint-per-verdict.ts';
import { doubtsAreShown } from './doubts-are-shown.ts';
import { effectsOnce } from './effects-once.ts';
import { endsWithACode } from './ends-with-a-code.ts';
import { groundedCommits } from './grounded-commits.ts';
import { judgedSentences } from './judged-sentences.ts';
import { lanesStayBelow } from './lanes-stay-below.ts';
import type { LawOf } from './law.ts';
import { legalTrajectory } from './legal-trajectory.ts';
import { noFaultOfItsOwn } from './no-fault-of-its-own.ts';
import { oneStepAtATime } from './one-step-at-a-time.ts';
import { planApprovedFirst } from './plan-approved-first.ts';
import { sessionLifecycle } from './session-lifecycle.ts';

/** The laws that are checked for every event of every run. `RUN_LAWS` names the laws about runs and processes. */
export const EVENT_LAWS: readonly LawOf[] = [
  budgetNeverOverdrawn,
  legalTrajectory,
  groundedCommits,
  judgedSentences,
  approvedIsWhatRan,
  planApprovedFirst,
  askedBeforeUse,
  oneStepAtATime,
  effectsOnce,
  doubtsAreShown,
  checkpointPerVerdict,
  sessionLifecycle,
  lanesStayBelow,
  endsWithACode,
  noFaultOfItsOwn,
];
