import { type FactIndex, isSynonym, keyWords, type Leaf, type ListNode } from './facts.ts';
import type { FieldBinding } from './fields.ts';
import { excludedBy } from './flags.ts';
import type { Clause } from './occurrence.ts';
import { stem, type Token } from './tokens.ts';
import {
  EFFECT_STEMS,
  KIND_VERBS,
  LIGHT_VERBS,
  LOOK_UP_STEMS,
  NEUTRAL_WORDS,
  PAST_FORMS,
  RIGHTFUL_ROLES,
  STRONG_EFFECTS,
} from './words/lexicon.ts';

/** A verb that says of an act that it was done: "I have sent", "it was refunded", "Ben has approved". */
export interface ActClaim {
  readonly text: string;
  readonly stem: string;
  /** The place of the verb among the tokens. */
  readonly at: number;
  /** Who did it by the sentence: the agent, the agent's side, or another party. */
  readonly actor: 'i' | 'we' | 'other';
}

const BETWEEN =
  /^(?:have|has|had|been|being|was|were|is|are|get|got|gets|am|just|already|also|now|then|since|gone|went|ahead|and|successfully|both|recently|finally|even|first|only|last|so|to|all|fully)$/u;
const AUXILIARY = /^(?:have|has|had|been|being|was|were|is|are|got|gets|get|you've|they've|it's|he's|she's)$/u;
const I = /^(?:i|i've|i'd|i'm)$/u;
const WE = /^(?:we|we've|we'd|we're)$/u;

const isPast = (text: string): boolean => /.{2}ed$/u.test(text) || PAST_FORMS.has(text);

/** The acts that a sentence or a clause claims as done. Looking up, finding and checking are no acts. */
export function actClaims(tokens: readonly Token[]): readonly ActClaim[] {
  return tokens.flatMap((token, at): readonly ActClaim[] => {
    if (token.kind !== 'word') return [];
    const isRunning = /ing$/u.test(token.text) && EFFECT_STEMS.has(token.stem);
    if (!isPast(token.text) && !isRunning) return [];
    let place = at - 1;
    let hasAuxiliary = false;
    for (; place >= 0; place -= 1) {
      const { kind, text } = tokens[place] as Token;
      if (kind !== 'word' || !(BETWEEN.test(text) || isPast(text) || /ly$/u.test(text))) break;
      hasAuxiliary ||= AUXILIARY.test(text);
    }
    const subject = tokens[place]?.text ?? '';
    const claim = { text: token.text, stem: token.stem, at };
    if (I.test(subject)) return LOOK_UP_STEMS.has(token.stem) ? [] : [{ ...claim, actor: 'i' }];
    if (WE.test(subject)) return LOOK_UP_STEMS.has(token.stem) ? [] : [{ ...claim, actor: 'we' }];
    return (hasAuxiliary || AUXILIARY.test(subject)) && !isRunning ? [{ ...claim, actor: 'other' }] : [];
  });
}

/** The acts that change something outside, or that the agent claims as its own. A judge is never asked about them. */
export const effectClaims = (tokens: readonly Token[]): readonly ActClaim[] =>
  actClaims(tokens).filter(({ stem: verb, actor }) => actor !== 'other' || STRONG_EFFECTS.has(verb));

const STATE_WORDS_MAX = 4;
const REMAINDERS: ReadonlySet<string> = new Set(
  'left remaining max maximum min limit allowed available free per cutoff next'.split(' '),
);

/**
 * Whether a field states the act: a state with the verb, a flag that is set, or a value whose key has the participle, such
 * as `approved_by` or `sent_on`. The number of the acts states them too: `visits_this_month`, but not `visits_left`.
 */
function states(leaf: Leaf, verb: string): boolean {
  const names = (words: readonly string[]): boolean => words.some((word) => isSynonym(stem(word), verb));
  const { kind, key, value, words, number, shape } = leaf;
  const keys = keyWords(key);
  if (kind === 'boolean') return value === true && names([...keys, ...leaf.path]);
  if (kind === 'empty' || number?.amount === 0n) return false;
  if (kind === 'text' && shape !== 'name' && words.length <= STATE_WORDS_MAX && names(words)) return true;
  const isAct = (word: string): boolean => isPast(word) || RIGHTFUL_ROLES.has(word) || keys.includes('last');
  if (names(keys.filter(isAct))) return true;
  return kind === 'number' && !keys.some((word) => REMAINDERS.has(word)) && names(keys.filter(isPlural));
}

const isPlural = (word: string): boolean => /[^s]s$/u.test(word);

/** The first act of the agent that no cited fact states; a fact of a call that changed something must state it. */
export function unstatedOwnAct(tokens: readonly Token[], { leaves, effectWords, effectRefs }: FactIndex): string | null {
  const isStated = ({ stem: verb, actor }: ActClaim): boolean =>
    [...effectWords].some((word) => isSynonym(word, verb)) ||
    leaves.some((leaf) => (actor === 'we' || effectRefs.has(leaf.ref)) && states(leaf, verb));
  const act = actClaims(tokens).find((claim) => claim.actor !== 'other' && !isStated(claim));
  return act === undefined ? null : `no cited fact states that the agent "${act.text}" it`;
}

/** The proven parts of a clause that can state an act. */
interface ActProof {
  readonly bindings: readonly FieldBinding[];
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListNode[];
}

/** The first act of the clause that none of its fields states, and whether a state of the same record denies it. */
export function unstatedAct(
  { tokens, words, isNegative }: Clause,
  { leaves, lists, effectWords }: FactIndex,
  proof: ActProof,
): { readonly reason: string; readonly contradicted: boolean } | null {
  if (isNegative) return null;
  const bound = [...proof.bindings.map(({ leaf }) => leaf), ...proof.leaves];
  const around = [
    ...proof.lists,
    ...lists.filter(({ members }) => bound.some(({ records }) => records.some((one) => members.has(one)))),
  ];
  for (const { text, stem: verb, at, actor } of actClaims(tokens)) {
    const isValue = !words.some((word) => word.at === at);
    if (actor !== 'other' || isValue || isDescribing(text)) continue;
    const isStated =
      effectWords.has(verb) ||
      bound.some((leaf) => states(leaf, verb)) ||
      around.some(({ own }) => [...own].some((word) => isSynonym(word, verb)));
    if (isStated) continue;
    const refs = new Set(bound.map(({ ref }) => ref));
    const contradicted = leaves.some((leaf) => refs.has(leaf.ref) && excludedBy(leaf).has(text));
    return { reason: `no cited field states that it was ${text}`, contradicted };
  }
  return null;
}

const isDescribing = (text: string): boolean =>
  LIGHT_VERBS.has(text) ||
  NEUTRAL_WORDS.has(text) ||
  KIND_VERBS.money.has(text) ||
  KIND_VERBS.quantity.has(text) ||
  KIND_VERBS.span.has(text);
