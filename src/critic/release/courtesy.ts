import { isSynonym } from './facts.ts';
import { isSameValue, type SentenceSubject } from './refuse.ts';
import type { Token } from './tokens.ts';
import { ECHO_FRAMES, ECHO_LINKS, FUNCTION_WORDS, LIGHT_VERBS, NEGATORS } from './words/lexicon.ts';

const THING = '(?:summary|overview|details|comparison|results|update|information|numbers|list|answer|data|picture)';
const OFFER =
  "(?: (?:you|you'd|would|do|like|want|wish|prefer|need|have|there|there's|anything|something|else|any|other|more|further|another|question|questions|help|with|that|this|it|these|those|to|me|us|i|can|ask|look|looked|check|see|know|go|dig|get|in|into|up|at|ahead|through|line|by|touch|contact|reach|out|detail|details|next|about|which|what|whether|if|one|full)| <>| (?:if )?anything is unclear| there is anything)*";

/**
 * The phrases that state nothing. `<>` stands for a topic: articles, prepositions and nouns of the request or of the
 * fields, without a verb. A list of single words would not do: "everything is settled" has only words of courtesies.
 */
const FRAMES: readonly RegExp[] = [
  '(?:hi|hello|hey|dear)(?: there| again| NAME)?',
  'good (?:morning|afternoon|evening|day|question)|glad you asked|congratulations|cheers(?: for bringing it back)?',
  '(?:many )?(?:thanks|thank you)(?: so much| very much| a lot| again)?(?: for (?:checking in|reaching out|getting in touch|asking|waiting|writing|contacting us|being with us|your (?:patience|message|generosity|support|question|trust)))?(?: with us)?(?: about <>)?',
  "(?:i'm |i am |we're )?(?:very |so )?(?:sorry|apologies)(?: (?:about|for) (?:the|any|this|that|your) (?:trouble|wait|inconvenience|confusion|frustration|hassle|stress)(?: this is causing you| <>)?)?",
  "(?:i understand|i know|also)(?: that| why)? (?:this is|that's|it's|that is|waiting is) (?:a surprise|frustrating|annoying|disappointing|confusing|stressful)",
  'i understand your (?:frustration|concern|concerns|confusion|question)',
  `(?:please )?(?:just )?(?:feel free to|(?:do not|don't) hesitate to|(?:let me know|tell me) (?:if|which|what|when|whether)|say the word if|contact (?:me|us) if|get in touch if)${OFFER}`,
  `(?:i'm |i am )?(?:happy|glad) to (?:help|dig|look|explain|check)${OFFER}`,
  `(?:is there|would you|do you|want me|shall i|should i|may i|can i|anything else)${OFFER} \\?`,
  `(?:here's|here is|here are) (?:a |an |the |your )?(?:(?:quick|short|brief|full) )*${THING}(?: i could find| below)?(?: (?:of|on|about|for|from) <>)?`,
  `${THING} below|(?:here's|here is) (?:what|where) (?:also|i found|i have|i've got|i've found|things stand|<> (?:show|shows))(?: <>)?`,
  "(?:let me|let's) (?:check|see|have a look|take a look|look|sum|go|walk you)(?: at| into| through)?(?: that| this| it| <>)?(?: up)?(?: for you)?",
  "(?:i |i've )?had a look(?: at that| at this| at it| <>)?(?: for you)?|i hope (?:that|this|it) helps(?: you)?(?: understand <>)?",
  '(?:i hope you )?(?:enjoy|have) (?:a |your |the )?(?:(?:great|good|nice|safe|lovely|wonderful) )?(?:day|evening|weekend|summer|trip|stay|week|holiday|visit)',
  'good luck(?: with the rest of your studies| <>)?|happy reading|take care(?: and get in touch if you have questions)?|give NAME a (?:pat|hug) from us',
  "gern|gerne|danke|gern helfe ich ihnen weiter|melden sie sich gern|wenn sie weitere fragen haben|n'hésitez pas si vous avez d'autres questions|bonjour|hola|merci|gracias",
].map(
  (frame) =>
    new RegExp(
      `^(?:${frame
        .replaceAll(/[\p{Ll}']+/gu, '$&\\^?~?')
        .replaceAll('<>', '[^ ~]+~(?: [^ ~]+~)*')
        .replaceAll('NAME', '[^ ^]+\\^~?')})$`,
      'u',
    ),
);
/** Alone they could answer a question with yes, so that another phrase must follow. */
const OPENERS = /^(?:sure|of course|certainly|absolutely|okay|ok|right|great)$/u;
const TOPIC_WORDS =
  /^(?:the|a|an|your|my|our|this|that|these|those|its|of|about|on|for|with|in|at|and|from|ahead|any|other|account)$/u;

/** An offer of help, a greeting, thanks: each phrase of the sentence is one that states nothing. */
export function isFiller(subject: SentenceSubject, isUncited: boolean): boolean {
  const phrases = phrasesOf(subject.tokens).map((phrase) => marked(phrase, subject, isUncited));
  const isFrame = (phrase: string): boolean => FRAMES.some((frame) => frame.test(phrase));
  return (
    phrases.some(isFrame) && phrases.every((phrase) => isFrame(phrase) || OPENERS.test(phrase.replace(/[~^]/gu, '')))
  );
}

function phrasesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const phrases: Token[][] = [[]];
  for (const token of tokens)
    if (token.kind !== 'mark' || token.text === '?') phrases.at(-1)?.push(token);
    else phrases.push([]);
  return phrases.filter(({ length }) => length > 0);
}

/** The words of a phrase: `^` follows a name of the facts, `~` a word that can stand in a topic. */
const marked = (
  phrase: readonly Token[],
  { request, nouns, cited, uncited }: SentenceSubject,
  isUncited: boolean,
): string =>
  phrase
    .map((token) => {
      if (token.kind !== 'word') return token.text;
      const { text, stem, capital } = token;
      const isKnown = request.stems.has(stem) || nouns.has(stem);
      const isName = capital && [...cited.leaves, ...uncited].some(({ words }) => words.includes(text));
      const isTopic =
        TOPIC_WORDS.test(text) || (isUncited && isKnown && !/(?:ed|ing)$|^(?:sent|paid|made|is|are)$/u.test(text));
      return `${text}${isName ? '^' : ''}${isTopic ? '~' : ''}`;
    })
    .join(' ');

const YOU = "(?:so )?you(?:'re|'d|'ve| are| were| would| have)?(?: also| just)?";
const ASKED = new RegExp(
  `^${YOU} (?:asked|ask|asking|wanted|want|like|need(?:ed)? to know|wondering|checking|looking|interested)(?: me| us)? `,
  'u',
);
const REPORTED = new RegExp(`^${YOU} (?:said|say|mentioned|wrote|told|reported)(?: me| us)? `, 'u');

/** "You asked about …": every other word and value stands in the request, and no clause of its own follows. */
export function isEcho({ tokens, request, text }: SentenceSubject): boolean {
  const plain = `${tokens.map(({ text: word }) => word).join(' ')} `;
  const frame = ASKED.exec(plain) ?? REPORTED.exec(plain);
  if (frame === null || text.includes('?')) return false;
  const length = frame[0].trim().split(' ').length;
  const rest = tokens.slice(length);
  const isNegated = (list: readonly Token[]): boolean =>
    list.some((token) => token.kind === 'word' && NEGATORS.has(token.text));
  if (isNegated(rest) && !isNegated(request.tokens)) return false;
  return rest.every((token) => isAsked(token, request)) && !addsClause(rest, REPORTED.test(plain));
}

function isAsked(token: Token, request: SentenceSubject['request']): boolean {
  if (token.kind === 'quote' || token.kind === 'mark') return true; // a quotation was compared with the request already
  if (token.kind === 'value')
    return request.tokens.some(
      (asked) => asked.kind === 'value' && (isSameValue(asked.value, token.value) || `${asked.text}s` === token.text),
    );
  return (
    FUNCTION_WORDS.has(token.text) ||
    NEGATORS.has(token.text) ||
    ECHO_FRAMES.has(token.text) ||
    ECHO_LINKS.has(token.text) ||
    LIGHT_VERBS.has(token.text) ||
    [...request.stems].some((asked) => isSynonym(asked, token.stem))
  );
}

const VERBS =
  /^(?:is|are|was|were|be|been|am|it's|that's|there's|has|have|had|you've|we've|i've|do|does|did|got|get|can|could|may|might|will|i|we|done|made|went|gave|given|took|taken|put|held|kept|set|found|sent|paid|applied|received|stored|recorded)$/u;
const QUESTION = /^(?:(?:to )?(?:know|hear|see|learn) )?(?:about )?(?:whether|if|how|what|which|why|when|where|who)\b/u;

/** Whether a part has a verb of its own without being an indirect question: "…, and you got it" claims something. */
function addsClause(rest: readonly Token[], isReported: boolean): boolean {
  const parts: { link: string; words: string[] }[] = [{ link: '', words: [] }];
  for (const { kind, text } of rest)
    if (kind === 'mark' ? /^[,;:.–—]$/u.test(text) : /^(?:and|so|but|then|because)$/u.test(text))
      parts.push({ link: text, words: [] });
    else parts.at(-1)?.words.push(text);
  const isVerb = (word: string, at: number, words: readonly string[]): boolean =>
    VERBS.test(word) && words[at - 1] !== 'to';
  return parts.some(({ link, words }, at) => {
    const isFirst = at === 0 || (link === 'and' && parts[at - 1]?.words.length === 0);
    const isQuestion = (isFirst || link === 'and') && QUESTION.test(words.join(' '));
    return !isQuestion && !(isFirst && isReported) && words.some(isVerb);
  });
}
