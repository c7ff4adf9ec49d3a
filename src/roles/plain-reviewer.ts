import { NO_COST } from '../model/tool.ts';
import type { Reviewer } from '../ports/reviewer.ts';

/**
 * The reviewer without a model. It hands the failure on in its own words, and it leaves a context as it is: a run
 * under pressure then halts instead of forgetting something it needs.
 */
export const plainReviewer: Reviewer = Object.freeze<Reviewer>({
  reflect: async (_trigger, reason) => ({ note: reason.message, spent: NO_COST }),
  compress: async (tokens) => ({ lost: [], tokens }),
});
