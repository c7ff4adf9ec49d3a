import type { Effect, EffectKind, EffectOf } from '../model/effect.ts';

/** Answered at once, in the frame of the event that asked, but from more than the journal: taken as recorded in replay. */
export const LOCAL_KINDS = [
  'classify_intent',
  'resolve_scope',
  'check_policy',
  'init_run',
  'clear_step',
  'propose_compensation',
  'compile_response',
  'propose_memory',
] as const;
export type LocalKind = (typeof LOCAL_KINDS)[number];
export type LocalEffect = { [K in LocalKind]: EffectOf<K> }[LocalKind];

/** For the world, which is asked only once the question is durable. */
export type OutsideKind =
  | 'propose_plan'
  | 'draft_arguments'
  | 'call_tool'
  | 'spawn_lane'
  | 'end_lane'
  | 'reconcile_call'
  | 'probe_step'
  | 'ask_user'
  | 'read_intent'
  | 'reflect'
  | 'compress_context'
  | 'write_memory'
  | 'ask_judges'
  | 'revoke_credentials'
  | 'abort_flight';
export type OutsideEffect = { [K in OutsideKind]: EffectOf<K> }[OutsideKind];

const LOCAL: ReadonlySet<EffectKind> = new Set(LOCAL_KINDS);
export const isLocal = (effect: Effect): effect is LocalEffect => LOCAL.has(effect.kind);

/** Written out, because it is asked of everything that a run wants. */
export function isOutside(effect: Effect): effect is OutsideEffect {
  switch (effect.kind) {
    case 'propose_plan':
    case 'draft_arguments':
    case 'call_tool':
    case 'spawn_lane':
    case 'end_lane':
    case 'reconcile_call':
    case 'probe_step':
    case 'ask_user':
    case 'read_intent':
    case 'reflect':
    case 'compress_context':
    case 'write_memory':
    case 'ask_judges':
    case 'revoke_credentials':
    case 'abort_flight':
      return true;
    default:
      return false;
  }
}
