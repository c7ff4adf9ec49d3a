import type { Derived } from '../kernel/derive.ts';
import type { LocalKind, OutsideKind } from '../kernel/effect-kinds.ts';
import type { RunState } from '../kernel/state.ts';
import type { EffectOf } from '../model/effect.ts';
import type { Recall } from '../ports/recall.ts';

/** Who answers on the spot what does not follow from the journal alone. */
export type LocalPerformers = { readonly [K in LocalKind]: (state: RunState, effect: EffectOf<K>) => Derived };

/** Calling back is the loop's own business; everything else the world does. */
export type Sent = Exclude<OutsideKind, 'abort_flight'>;

/** How whoever was asked can be reached, and how they can be heard once their answer is no longer waited for. */
export interface Way {
  readonly recall: Recall;
  readonly hearLate: (late: Derived) => void;
}

export type OutsidePerformers = {
  readonly [K in Sent]: (state: RunState, effect: EffectOf<K>, way: Way) => Promise<Derived>;
};
