import { type FactIndex, isSynonym, keyWords, type Leaf, type ListNode, recordOf } from './facts.ts';
import { type FieldBinding, isPrefix } from './fields.ts';
import { excludedBy } from './flags.ts';
import type { Clause, Occurrence, WordAt } from './occurrence.ts';
import { stem, type Token } from './tokens.ts';
import {
  DOING_VERBS,
  EFFECT_STEMS,
  LODGING_STEMS,
  LOOK_UP_STEMS,
  PAST_FORMS,
  PLAN_WORDS,
  RIGHTFUL_ROLES,
  STRONG_EFFECTS,
} from './words/act-words.ts';
import { MONEY_STEMS, PREVIOUS } from './words/field-words.ts';
import { KIND_VERBS, LIGHT_VERBS, NEGATORS, NEUTRAL_WORDS, SETTLED_STATES } from './words/lexicon.ts';

/** A verb that says of an act that it was done: "I have sent", "it was refunded", "Ben has approved". */
export interface ActClaim {
  readonly text: string;
  readonly stem: string;
  /** The place of the verb among the tokens. */
  readonly at: number;
  /** Who did it by the sentence: the agent, the agent's side, a person such as the user, or a party that it does not name. */
  readonly actor: 'i' | 'we' | 'person' | 'other';
  /** "is delivered", "is being forwarded": a state or a plan, which need not be an act of the past. */
  readonly isPresent: boolean;
  /** "has been paid", "have given": an act that is done by now. */
  readonly isPerfect: boolean;
}

const BETWEEN =
  /^(?:have|has|had|been|being|was|were|is|are|get|got|gets|am|just|already|also|now|then|since|gone|went|ahead|and|successfully|both|recently|finally|even|first|only|last|so|to|all|fully)$/u;
const AUXILIARY = /^(?:have|has|had|been|being|was|were|is|are|got|gets|get|you've|they've|it's|he's|she's)$/u;
const PRESENT = /^(?:is|are|being|it's|he's|she's)$/u;
const PERFECT = /^(?:have|has|had|you've|they've)$/u;
const I = /^(?:i|i've|i'd|i'm)$/u;
const WE = /^(?:we|we've|we'd|we're)$/u;
const OTHERS = /^(?:you|they|he|she)$/u;
/** Past forms that claim no act: "you had", "you needed". */
const EVER: ReadonlySet<string> = new Set('had did got needed wanted owed asked used'.split(' '));

const isPast = (text: string): boolean => /.{2}ed$/u.test(text) || PAST_FORMS.has(text);

/** The acts that a sentence or a clause claims as done. Looking up, finding and checking are no acts. */
function actClaims(tokens: readonly Token[]): readonly ActClaim[] {
  return tokens.flatMap((token, at): readonly ActClaim[] => {
    if (token.kind !== 'word') return [];
    const isRunning = /ing$/u.test(token.text) && EFFECT_STEMS.has(token.stem);
    if (!isPast(token.text) && !isRunning) return [];
    let place = at - 1;
    const auxiliaries: string[] = [];
    for (; place >= 0; place -= 1) {
      const { kind, text } = tokens[place] as Token;
      if (kind !== 'word' || !(BETWEEN.test(text) || isPast(text) || /ly$/u.test(text))) break;
      if (AUXILIARY.test(text)) auxiliaries.push(text);
    }
    const subject = tokens[place]?.text ?? '';
    if (AUXILIARY.test(subject)) auxiliaries.push(subject);
    if (NEGATORS.has(subject)) return [];
    const isPresent = auxiliaries.every((text) => PRESENT.test(text));
    const isPerfect = auxiliaries.some((text) => PERFECT.test(text));
    const claim = { text: token.text, stem: token.stem, at, isPresent, isPerfect };
    const agent = I.test(subject) || WE.test(subject) ? subject : arrangerOf(tokens, at);
    if (OTHERS.test(subject) && auxiliaries.length === 0 && !isRunning && !EVER.has(token.text))
      return [{ ...claim, actor: 'person', isPresent: false }];
    if (agent !== null && LOOK_UP_STEMS.has(token.stem)) return [];
    if (agent !== null) return [{ ...claim, actor: I.test(agent) ? 'i' : 'we' }];
    return auxiliaries.length > 0 && !isRunning ? [{ ...claim, actor: 'other' }] : [];
  });
}

/** "I had the fence painted": the one who had an act done. */
function arrangerOf(tokens: readonly Token[], at: number): string | null {
  const place = tokens.slice(Math.max(0, at - 5), at).findLastIndex(({ text }) => I.test(text) || WE.test(text));
  const start = place + Math.max(0, at - 5);
  const between = tokens.slice(start + 2, at);
  const isArranged = place >= 0 && /^(?:have|had|got)$/u.test(tokens[start + 1]?.text ?? '');
  return isArranged && between.every(({ kind }) => kind !== 'mark') ? (tokens[start]?.text ?? null) : null;
}

const isAgent = (actor: ActClaim['actor']): boolean => actor === 'i' || actor === 'we';

/** The acts that change something outside, or that the agent claims as its own. A judge is never asked about them. */
export const effectClaims = (tokens: readonly Token[]): readonly ActClaim[] =>
  actClaims(tokens).filter(
    ({ stem: verb, actor }) => isAgent(actor) || (actor === 'other' && STRONG_EFFECTS.has(verb)),
  );

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
  if (kind === 'boolean') return value === true && names(keys.filter(isPast));
  if (kind === 'empty' || number?.amount === 0n) return false;
  if (kind === 'text' && shape !== 'name' && words.length <= STATE_WORDS_MAX && names(words)) return true;
  const isAct = (word: string): boolean => isPast(word) || RIGHTFUL_ROLES.has(word) || keys.includes('last');
  if (names(keys.filter(isAct)) || (CHANGES.has(verb) && keys.some((word) => PREVIOUS.has(stem(word))))) return true;
  const isCount = kind === 'number' && number?.currencies === null;
  return isCount && !keys.some((word) => REMAINDERS.has(word)) && names(keys.filter(isPlural));
}

/** "moved", "changed": a field for the value before states the change. */
const CHANGES: ReadonlySet<string> = new Set(['moved', 'changed', 'switched'].map(stem));

const isPlural = (word: string): boolean => /[^s]s$/u.test(word);

/** Whether a tool with an effect is named by the act. */
export const isOwnEffect = ({ effectWords }: FactIndex, verb: string): boolean =>
  [...effectWords].some((word) => isSynonym(word, verb) || (LODGING_STEMS.has(word) && LODGING_STEMS.has(verb)));

interface Claimed {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly cited: FactIndex;
}

/** "Done, …", "…, as requested", "paid by me": an act without a verb or a subject of its own. */
const DONE = /^\W*(?:all )?done\b|\bas (?:requested|promised|you (?:asked|requested|wanted))\b|\bby (?:me|us)\b/iu;

/** The first act of the agent that no cited fact states; a fact of a call that changed something must state it. */
export function unstatedOwnAct({ text, tokens, cited }: Claimed): string | null {
  if (DONE.test(text) && cited.effectRefs.size === 0) return 'the agent has changed nothing';
  const isStated = ({ stem: verb, actor }: ActClaim): boolean =>
    isOwnEffect(cited, verb) ||
    cited.leaves.some(
      (leaf) => ((actor === 'we' && !EFFECT_STEMS.has(verb)) || cited.effectRefs.has(leaf.ref)) && states(leaf, verb),
    );
  const act = actClaims(tokens).find((claim) => isAgent(claim.actor) && !isStated(claim));
  return act === undefined ? null : `no cited fact states that the agent "${act.text}" it`;
}

/** The proven parts of a clause that can state an act. */
interface ActProof {
  readonly bindings: readonly FieldBinding[];
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListNode[];
  readonly used: ReadonlySet<string>;
}

/** An act of the clause that its fields do not state, or that they state of another actor or in the other direction. */
export function actGap(clause: Clause, cited: FactIndex, proof: ActProof): ActGap | null {
  const bound = [...proof.bindings.map(({ leaf }) => leaf), ...proof.leaves];
  return (
    unstatedAct(clause, cited, proof, bound) ??
    otherFact(clause, cited, bound) ??
    otherActor(clause, cited, proof.bindings) ??
    otherDirection(clause, cited, bound)
  );
}

interface ActGap {
  readonly reason: string;
  readonly contradicted?: boolean;
}

/** A sum is paid only if it is negative, or its record or tool is about a payment, and owed only if its name says so. */
export function isMoneyVerb(text: string, leaf: Leaf, { leaves, toolWords }: FactIndex): boolean {
  const names = [...leaf.own, ...leaf.path];
  if (/^owes?$/u.test(text)) return names.some((word) => MONEY_STEMS.owed.has(word));
  if (names.some((word) => MONEY_STEMS.notPaid.has(word))) return false;
  const isPaid = /^(?:paid|spent)$/u.test(text);
  const isClaimed = isPaid || /^(?:charged|billed|invoiced)$/u.test(text);
  if (!isClaimed || (leaf.number?.amount ?? 0n) < 0n) return true;
  const around = leaves.filter(({ records }) => isPrefix(records, leaf.records));
  if (around.some((one) => excludedBy(one).has(text))) return false;
  const set = around.filter(({ kind, value }) => kind !== 'empty' && value !== false);
  const stated = isPaid ? MONEY_STEMS.payment : MONEY_STEMS.bill;
  return [...names, ...set.flatMap(({ own }) => [...own]), ...toolWords].some((word) => stated.has(word));
}

const PAYMENTS = /^(?:paid|spent|charged|billed|invoiced)$/u;
const isMoney = ({ number }: Leaf): boolean => number?.currencies != null;

/** The first act that no field of the clause states, and whether a state of the same fact denies it. */
function unstatedAct(
  { tokens, words }: Clause,
  cited: FactIndex,
  proof: ActProof,
  bound: readonly Leaf[],
): ActGap | null {
  const { leaves, lists, effectWords } = cited;
  const around = [
    ...proof.lists,
    ...lists.filter(({ members }) => bound.some(({ records }) => records.some((one) => members.has(one)))),
  ];
  for (const claim of [...actClaims(tokens), ...namedActs(tokens, proof.bindings)]) {
    const { text, stem: verb, at, actor, isPresent } = claim;
    const isValue = !words.some((word) => word.at === at);
    const isPaid = PAYMENTS.test(text) && bound.some(isMoney);
    if (isAgent(actor) || isValue || isDenied(words, at) || (!isPaid && isDescription(claim, bound))) continue;
    if ((isPresent && !SETTLED_STATES.has(text)) || (proof.used.has(verb) && !isWish(bound, verb))) continue;
    const isStated =
      effectWords.has(verb) ||
      bound.some((leaf) => states(leaf, verb) || (isPaid && isMoney(leaf) && isMoneyVerb(text, leaf, cited))) ||
      around.some(({ own }) => [...own].some((word) => isSynonym(word, verb)));
    if (isStated) continue;
    const refs = new Set(bound.map(({ ref }) => ref));
    const contradicted = leaves.some((leaf) => refs.has(leaf.ref) && excludedBy(leaf).has(text));
    return { reason: `no cited field states that it was ${text}`, contradicted };
  }
  return null;
}

/** "I have refunded it on 3 May" for a day of another fact than the refund. */
function otherFact({ tokens }: Clause, cited: FactIndex, bound: readonly Leaf[]): ActGap | null {
  const own = actClaims(tokens).find(({ stem: verb, actor }) => isAgent(actor) && isOwnEffect(cited, verb));
  const other = own === undefined ? undefined : bound.find(({ ref }) => !cited.effectRefs.has(ref));
  return other === undefined ? null : { reason: `${other.pointer} is no field of the act` };
}

/** The part of a party in an act: the one who did it, or the one to whom it was done. */
type Part = 'doer' | 'object';

/** The part that a field gives its value in the act: `seller` and `referred_by` name the doer, `invited_profile` the object. */
function partOf({ key }: Leaf, verb: string): Part | null {
  const words = keyWords(key);
  if (words.some((word) => /.{3}(?:er|or)$/u.test(word) && stem(word.slice(0, -2)) === verb)) return 'doer';
  const place = words.findIndex((word) => isPast(word) && stem(word) === verb);
  if (place < 0) return null;
  return words[place + 1] === 'by' ? 'doer' : 'object';
}

/** The part that the clause gives a name: "Ana sold", "sold by Ana", "sold Ana", "Ana was sold". */
function claimedPart(tokens: readonly Token[], { from, to }: Occurrence, at: number): Part {
  const between = tokens.slice(to, at).map(({ text }) => text);
  if (from < at) return between.some((text) => PASSIVE.test(text)) ? 'object' : 'doer';
  return tokens.slice(0, from).findLast(({ kind }) => kind === 'word')?.text === 'by' ? 'doer' : 'object';
}

const PASSIVE = /^(?:is|are|was|were|be|been|being|gets?|got)$/u;

/** "Ana sold it to Ben" for `seller: "Ben"`: the field gives the name another part than the clause. */
function otherActor({ tokens }: Clause, { leaves }: FactIndex, bindings: readonly FieldBinding[]): ActGap | null {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word' || !isPast(token.text)) continue;
    const other = bindings.find(({ occurrence, leaf }) => {
      const part = leaf.shape === 'name' ? partOf(leaf, token.stem) : null;
      return part !== null && part !== claimedPart(tokens, occurrence, at);
    });
    if (other !== undefined) return { reason: `${other.leaf.pointer} gives the name another part in "${token.text}"` };
  }
  const subject = bindings.find(({ occurrence: { from, stated } }) => from <= 1 && stated.type === 'text');
  const behind = tokens[subject?.occurrence.to ?? tokens.length]?.text ?? '';
  if (subject?.leaf.shape !== 'name' || !(isPast(behind) || /^(?:has|have|had)$/u.test(behind))) return null;
  const actor = leaves.find(
    ({ key, shape, records }) =>
      key === 'by' && shape === 'name' && bindings.some(({ leaf }) => recordOf(leaf) === recordOf({ records })),
  );
  return actor === undefined || actor.value === subject.leaf.value
    ? null
    : { reason: `${actor.pointer} names another actor` };
}

const EARNING_KEYS =
  /^(?:refund|credit|payout|reimburs|receiv|earn|sent|transfer|deposit|bonus|reward|win|prize|salary|salari|cashback|claim|benefit)/u;
const PAYING = /^(?:pay|paid|pays|spent|spend|charged|cost|costs|owe|owes|debited|sent)$/u;
const EARNING = /^(?:receive|receives|received|earn|earned|got|get|credited|refunded|gained)$/u;

/** "You were paid", "paid to you": money that the user received. A field of a payment by the user does not state it. */
const RECEIVED =
  /\byou (?:have |had |'ve )?(?:also |already |just )?(?:received|got|earned|were (?:also |already |just )?(?:paid|credited))\b|\bto (?:you|your (?:\w+ )?(?:account|card|bank))\b/u;

const RECEIVING = /^(?:gets?|got|getting|keeps?|kept|earns?|earned|receives?|received|gains?|gained|takes?|took)$/u;

/** "The shop gets more than €30": a party that receives the money. */
const isReceived = ({ tokens, occurrences }: Clause): boolean =>
  occurrences.some(({ from, stated }) => {
    if (stated.type !== 'number' || (stated.currency === null && !stated.minor)) return false;
    const before = tokens.slice(0, from).findLast(({ text }) => !BEFORE_AMOUNT.test(text));
    return RECEIVING.test(before?.text ?? '');
  });

const BEFORE_AMOUNT =
  /^(?:more|less|than|about|over|under|around|exactly|only|just|at|least|most|nearly|almost|an?|the|total|of)$/u;

/** "You paid 42p" where the list has payments below zero, and the 42p are above: money of the other direction. */
function otherDirection(clause: Clause, { leaves }: FactIndex, bound: readonly Leaf[]): ActGap | null {
  const { tokens, words } = clause;
  const isPaid = bound.some(({ number, own }) => number?.currencies != null || own.has('paid'));
  const isStated = bound.some(({ key, path }) => [...keyWords(key), ...path].some((word) => EARNING_KEYS.test(word)));
  if (isPaid && !isStated && (isReceived(clause) || RECEIVED.test(tokens.map(({ text }) => text).join(' '))))
    return { reason: 'no cited field states that it was received' };
  for (const { number, key, pointer } of bound) {
    if (number?.currencies == null) continue;
    const isBelow = number.amount < 0n;
    const isMixed = leaves.some(
      (leaf) => leaf.key === key && leaf.number !== null && leaf.number.amount < 0n !== isBelow,
    );
    if (isMixed && words.some(({ text }) => (isBelow ? EARNING : PAYING).test(text)))
      return { reason: `${pointer} is an amount of the other direction` };
  }
  return null;
}

const isDenied = (words: readonly WordAt[], at: number): boolean =>
  words.some((word) => word.at < at && NEGATORS.has(word.text));

/** "Ben approved it": a past verb right behind a name. */
function namedActs(tokens: readonly Token[], bindings: readonly FieldBinding[]): readonly ActClaim[] {
  return bindings.flatMap(({ occurrence: { to }, leaf }): readonly ActClaim[] => {
    const verb = tokens[to];
    if (leaf.shape !== 'name' || verb?.kind !== 'word' || !isPast(verb.text)) return [];
    return [{ text: verb.text, stem: verb.stem, at: to, actor: 'other', isPresent: false, isPerfect: false }];
  });
}

/** `notify: true` and `auto_renew: true` say what shall happen, not that it was done. */
const isWish = (bound: readonly Leaf[], verb: string): boolean =>
  bound.some(
    (leaf) =>
      leaf.value === true && keyWords(leaf.key).some((word) => isSynonym(stem(word), verb)) && !states(leaf, verb),
  );

const SHARES = /^(?:%|pct|percent)$/u;
const isPlan = ({ kind, key }: Leaf): boolean =>
  kind === 'moment' && keyWords(key).some((word) => PLAN_WORDS.has(word));

/** Whether a verb says no more than that a field has its value. Of an amount or a date ahead, "has been paid" says more. */
function isDescription({ text, isPresent, isPerfect }: ActClaim, bound: readonly Leaf[]): boolean {
  const isPlain =
    LIGHT_VERBS.has(text) ||
    NEUTRAL_WORDS.has(text) ||
    KIND_VERBS.money.has(text) ||
    KIND_VERBS.quantity.has(text) ||
    KIND_VERBS.span.has(text);
  if (!isPlain || isPresent || !DOING_VERBS.has(text)) return isPlain;
  const isAmount = ({ number }: Leaf): boolean => number?.currencies != null || SHARES.test(number?.unit ?? '');
  return !bound.every(
    (leaf) => isPlan(leaf) || leaf.shape === 'id' || (isPerfect && (isAmount(leaf) || leaf.kind === 'text')),
  );
}
