import type { Effect } from '../model/effect.ts';
import type { ViolationKind } from '../model/event.ts';

/** Puts on record that something reached past the bound. */
export const violation = (kind: ViolationKind, subject: string, why: string): Effect => ({
  kind: 'note_violation',
  violation: kind,
  subject,
  why,
});
