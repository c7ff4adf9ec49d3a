/** Normalizes a text to composed characters and single blanks. Case is kept: it distinguishes names. */
export const foldText = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

export const OPENING: ReadonlySet<string> = new Set(['"', "'", '“', '‘', '„', '«', '(', '[', '{', '<']);
export const CLOSING: ReadonlySet<string> = new Set([
  ...['"', "'", '”', '’', '“', '»', ')', ']', '}', '>'],
  ...['.', ',', ';', ':', '!', '?'],
]);

/** The words of a folded text without surrounding quotes, brackets and sentence marks. */
export const bareWords = (text: string): readonly string[] => text.split(' ').map(bareWord);

function bareWord(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && OPENING.has(word[from] ?? '')) from += 1;
  while (to > from && CLOSING.has(word[to - 1] ?? '')) to -= 1;
  return word.slice(from, to);
}

/** The end of a sentence, but not the dot after an initial or a title, as in "p.m. on" or "Dr. Who". */
const SENTENCE_END = /(?:[!?]["'”’»)\]]*|[^\s.]{3}\.["'”’»)\]]*) /gu;

/** The sentences of a folded text. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(SENTENCE_END)) {
    sentences.push(text.slice(from, index + end.length - 1));
    from = index + end.length;
  }
  sentences.push(text.slice(from));
  return sentences;
}

/**
 * Words that negate a sentence, in the most common languages of requests. A false positive costs a question; a false
 * negative grants a forbidden value. So the list includes words that only sometimes negate.
 */
const NEGATIONS: ReadonlySet<string> = new Set(
  [
    'not no never none nobody nothing nowhere neither nor cannot cant dont wont without except excluding exclude',
    'avoid stop refuse reject forbid forbidden prohibited block blocked ignore skip instead rather unless but',
    'nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne außer ausser statt anstatt weder',
    'sondern vermeide ne pas jamais aucun aucune sans sauf ni nunca jamás jamas sin ningún ninguna excepto non mai',
    'senza nessuno tranne não nao nunca sem niet nooit geen zonder nie bez nigdy',
  ]
    .join(' ')
    .split(' '),
);
/** Matches don’t, won't, isn't by their ending. */
const CONTRACTED = /n['’`´]t$/u;

/** Whether a folded sentence negates something: values that occur only in such sentences were not requested. */
export const isNegated = (sentence: string): boolean =>
  bareWords(sentence.toLowerCase()).some((word) => NEGATIONS.has(word) || CONTRACTED.test(word));

/** Words that make a sentence a question, also without a question mark: "tell me which sessions are open". */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  [
    'how what which who whom whose where why whether explain describe wonder wondering',
    'wie welche welcher welches welchen wer wen wem wo warum wieso ob cómo qué cuál cuáles quién dónde comment quel',
    'quelle quels quelles qui quand pourquoi quale quali dove perché como qual quais quem onde hoe welk waar waarom',
  ]
    .join(' ')
    .split(' '),
);
const QUESTION_END = /\?["'”’»)\]]*$/u;
/** The polite form of an order: "Could you please send …?" */
const POLITE = /^\W*(?:please,? )?(?:can|could|would|will) you /u;

/** Whether a folded sentence asks for words rather than for an action. */
export function isQuestion(sentence: string): boolean {
  const lower = sentence.toLowerCase();
  if (QUESTION_END.test(lower) && !POLITE.test(lower)) return true;
  return bareWords(lower).some((word) => QUESTION_WORDS.has(word));
}

/** The words that begin an order after the start of a sentence, a comma, a semicolon or a colon. */
const BEFORE_ORDER =
  /(?:^|[,;:]|(?:^| )(?:and|then|please|kindly|also|now|just|bitte|und|dann|(?:can|could|would|will) you|(?:want|need|like)(?: you)? to))$/u;
/** The words before an order that `BEFORE_ORDER` needs to see. */
const WORDS_BEFORE = 3;

/**
 * Whether a folded sentence orders something with one of these phrases: one stands where an English order begins.
 * Compares words, not meaning, and in doubt it is no order.
 */
export function givesOrder(sentence: string, phrases: readonly string[]): boolean {
  if (isQuestion(sentence)) return false;
  const orders = phrases.map((phrase) => foldText(phrase.toLowerCase()).split(' '));
  const written = sentence.toLowerCase().split(' ');
  const words = written.map(bareWord);
  return words.some((_, at) => {
    // A quoted word orders nothing: 'the note says: "send it"'.
    if (OPENING.has(written[at]?.[0] ?? '')) return false;
    const isNamed = orders.some((order) => order.every((word, offset) => words[at + offset] === word));
    return isNamed && BEFORE_ORDER.test(written.slice(Math.max(0, at - WORDS_BEFORE), at).join(' '));
  });
}
