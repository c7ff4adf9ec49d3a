import type { Leaf } from './facts.ts';
import type { Match, Qualifier } from './match.ts';
import type { Stated, Token } from './tokens.ts';

/** A value of a clause: a stated value, a text of the facts, or a flag: a boolean field, or "none" of a field. */
export interface Occurrence {
  readonly from: number;
  readonly to: number;
  readonly stated: Stated | { readonly type: 'text'; readonly text: string } | { readonly type: 'flag' };
  readonly qualifier: Qualifier;
  /** The leaves that hold this value, and those that hold its digits in another or an unknown unit. */
  readonly equal: readonly Leaf[];
  readonly near: readonly { readonly leaf: Leaf; readonly match: Match }[];
  /** The leaves that say the opposite of a flag. */
  readonly against: readonly Leaf[];
  /** The stems that a flag explains. */
  readonly used: ReadonlySet<string>;
}

/** A clause: its tokens, its values, and the words that are left. */
export interface Clause {
  readonly tokens: readonly Token[];
  readonly occurrences: readonly Occurrence[];
  readonly flags: readonly Occurrence[];
  readonly isNegative: boolean;
  readonly words: readonly WordAt[];
  /** The words that may name a field: the words above, and states such as "delivered" in "delivered on 22 April". */
  readonly naming: readonly WordAt[];
}

export interface WordAt {
  readonly at: number;
  readonly text: string;
  readonly stem: string;
}

/** The parts of an occurrence that only a flag has. */
export const NO_FLAG: Pick<Occurrence, 'near' | 'against' | 'used'> = {
  near: [],
  against: [],
  used: new Set<string>(),
};

/** An occurrence of no value, for computations that state none. */
export const NO_VALUE: Occurrence = {
  ...NO_FLAG,
  from: -1,
  to: -1,
  stated: { type: 'flag' },
  qualifier: 'exact',
  equal: [],
};
