import type { EffectOf } from '../../model/events/effect.ts';
import type { ViolationKind } from '../../model/events/violation.ts';

/** Records a violation of rights. It has no other consequence. */
export const violation = (kind: ViolationKind, subject: string, why: string): EffectOf<'note_violation'> => ({
  kind: 'note_violation',
  violation: kind,
  subject,
  why,
});

/** Records that an ending was proposed before the work was done. */
export const prematureEndingViolation = (subject: string, why: string): EffectOf<'note_violation'> => ({
  ...violation('termination', subject, why),
  indicator: 'premature_termination',
});

/** Records that a model tried to use a right it does not have, which may be the work of injected text. */
export const permissionCreepViolation = (
  kind: ViolationKind,
  subject: string,
  why: string,
): EffectOf<'note_violation'> => ({
  ...violation(kind, subject, why),
  indicator: 'permission_creep',
});
