import { type ActiveContext, KEPT_CLASSES, type KeptClass } from '../model/compression.ts';
import { NO_COST } from '../model/tool.ts';
import type { Reviewer } from '../ports/reviewer.ts';

/**
 * The reviewer without a model. It hands the failure on in its own words, and of a context it leaves out only what every
 * compression leaves out: a run that is still under pressure then halts instead of forgetting something it needs.
 */
export const plainReviewer: Reviewer = Object.freeze<Reviewer>({
  reflect: async ({ reason }) => ({ note: reason.message, spent: NO_COST }),
  compress: async ({ context }) => ({ kept: everyName(context), dropped: [], digest: '' }),
});

/** By class, the names of all that has to be kept. */
export function everyName({ kept }: ActiveContext): Readonly<Record<KeptClass, readonly string[]>> {
  const names = KEPT_CLASSES.map((name) => [name, Object.keys(kept[name])] as const);
  return Object.fromEntries(names) as unknown as Record<KeptClass, readonly string[]>;
}
