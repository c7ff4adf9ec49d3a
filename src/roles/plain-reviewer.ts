import type { Reviewer } from '../ports/reviewer.ts';

const FREE = Object.freeze({ input_tokens: 0, output_tokens: 0, microusd: 0 });

/**
 * The reviewer without a model. It hands the failure on in its own words, and it leaves a context as it is: a run
 * under pressure then halts instead of forgetting something it needs.
 */
export const plainReviewer: Reviewer = Object.freeze<Reviewer>({
  reflect: async (_trigger, reason) => ({ note: reason.message, spent: FREE }),
  compress: async (tokens) => ({ lost: [], tokens }),
});
