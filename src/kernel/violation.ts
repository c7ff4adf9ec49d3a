import type { EffectOf } from '../model/effect.ts';
import type { ViolationKind } from '../model/violation.ts';

/** Puts on record that somebody went beyond their rights. Nothing else comes of it. */
export const violation = (kind: ViolationKind, subject: string, why: string): EffectOf<'note_violation'> => ({
  kind: 'note_violation',
  violation: kind,
  subject,
  why,
});

/** The same of an ending that is proposed before the work is done. */
export const premature = (subject: string, why: string): EffectOf<'note_violation'> => ({
  ...violation('termination', subject, why),
  indicator: 'premature_termination',
});

/** The same of a model that reaches for a right nobody gave it: it may be doing somebody else's will. */
export const privilegeSought = (kind: ViolationKind, subject: string, why: string): EffectOf<'note_violation'> => ({
  ...violation(kind, subject, why),
  indicator: 'permission_creep',
});
