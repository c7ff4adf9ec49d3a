import type { Drafts } from '../../model/draft.ts';

/** What was written for the steps of one plan. Another plan has its own written anew, be it word for word the same. */
export interface PlanDrafts {
  readonly planHash: string;
  readonly byStep: Readonly<Record<string, Drafts>>;
}
