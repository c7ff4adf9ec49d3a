import { type ActiveContext, KEPT_CLASSES, type KeptClass } from '../model/evidence/compression.ts';
import { NO_COST } from '../model/tool/tool.ts';
import type { Reviewer } from '../ports/model/reviewer.ts';

/**
 * The reviewer without a model. It reports the failure message as the note. From a context it drops only the material
 * that every compression drops: a run that still exceeds its limit halts instead of losing something that it needs.
 */
export const plainReviewer: Reviewer = Object.freeze<Reviewer>({
  reflect: async ({ reason }) => ({ note: reason.message, spent: NO_COST }),
  compress: async ({ context }) => ({ kept: keptNames(context), dropped: [], digest: '' }),
});

/** The names of all entries to keep, by class. */
export function keptNames({ kept }: ActiveContext): Readonly<Record<KeptClass, readonly string[]>> {
  const names = KEPT_CLASSES.map((name) => [name, Object.keys(kept[name])] as const);
  return Object.fromEntries(names) as unknown as Record<KeptClass, readonly string[]>;
}
