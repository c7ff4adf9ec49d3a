import type { Derived, RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { LocalKind, OutsideKind } from '../../model/events/effect-kinds.ts';
import type { Cancellation } from '../../ports/cancellation.ts';

/** The performers of effects that are answered synchronously and do not follow from the journal alone. */
export type LocalPerformers = { readonly [K in LocalKind]: (state: RunState, effect: EffectOf<K>) => Derived };

/** The effects that leave the process. The loop itself handles `abort_flight`. */
export type Sent = Exclude<OutsideKind, 'abort_flight'>;

/** The cancellation of an effect, and the callback for an answer that is no longer awaited. */
export interface EffectContext {
  readonly recall: Cancellation;
  readonly onLateAnswer: (late: Derived) => void;
}

export type OutsidePerformers = {
  readonly [K in Sent]: (state: RunState, effect: EffectOf<K>, context: EffectContext) => Promise<Derived>;
};
