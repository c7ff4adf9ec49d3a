import { Fault } from '../fault/fault.ts';
import type { DerivedBodies, Effect, EffectKind, EffectOf, FrameBodies, LocalBodies, OutsideBodies } from './effect.ts';
import type { ViolationKind } from './model-events.ts';

/** The answerer of an effect; `outside` effects are answered after the frame is durable, `frame` effects never. */
type AnsweredBy<K extends EffectKind> = K extends keyof DerivedBodies
  ? 'derived'
  : K extends keyof LocalBodies
    ? 'local'
    : K extends keyof OutsideBodies
      ? 'outside'
      : 'frame';

/** The class of every effect. A test compares `docs/architecture.md` with this table. */
export const EFFECTS: { readonly [K in EffectKind]: AnsweredBy<K> } = {
  verify_plan: 'derived',
  attempt_step: 'derived',
  verify_step: 'derived',
  commit_step: 'derived',
  judge_step: 'derived',
  judge_run: 'derived',
  open_gate: 'derived',
  foresee_shortage: 'derived',
  escalate_run: 'derived',
  note_violation: 'derived',
  settle_compensation: 'derived',
  rule_memory: 'derived',
  rule_sentences: 'derived',
  release_sentence: 'derived',
  rule_output: 'derived',
  terminate_run: 'derived',
  classify_intent: 'local',
  resolve_scope: 'local',
  check_policy: 'local',
  init_run: 'local',
  clear_step: 'local',
  propose_compensation: 'local',
  compile_response: 'local',
  propose_memory: 'local',
  save_checkpoint: 'frame',
  propose_plan: 'outside',
  draft_arguments: 'outside',
  compose_answer: 'outside',
  judge_sentences: 'outside',
  call_tool: 'outside',
  spawn_lane: 'outside',
  end_lane: 'outside',
  reconcile_call: 'outside',
  probe_step: 'outside',
  ask_user: 'outside',
  read_intent: 'outside',
  reflect: 'outside',
  compress_context: 'outside',
  write_memory: 'outside',
  ask_judges: 'outside',
  revoke_credentials: 'outside',
  abort_flight: 'outside',
};

type OneOf<K extends EffectKind> = { [Each in K]: EffectOf<Each> }[K];

export type DerivedEffect = OneOf<keyof DerivedBodies>;
export type LocalKind = keyof LocalBodies;
export type LocalEffect = OneOf<LocalKind>;
export type OutsideKind = keyof OutsideBodies;
export type OutsideEffect = OneOf<OutsideKind>;

export const isLocal = (effect: Effect): effect is LocalEffect => EFFECTS[effect.kind] === 'local';
export const isOutside = (effect: Effect): effect is OutsideEffect => EFFECTS[effect.kind] === 'outside';
export const isFrameEffect = (effect: Effect): effect is OneOf<keyof FrameBodies> => EFFECTS[effect.kind] === 'frame';

/** The fault for an effect that a switch leaves out. The parameter is `never`, so the compiler reports the switch. */
export function unhandledEffect(effect: never): Fault {
  return new Fault('internal', `no performer answers ${(effect as Effect).kind}`);
}

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
