import type { IntentSpec } from '../plan/intent.ts';
import { plainText } from './plain-text.ts';

type CourtesyKind = 'greeting' | 'thanks' | 'farewell' | 'offer' | 'apology';

/**
 * The courtesies, version 1. Each pattern matches a complete phrase that states nothing, so that it can answer no
 * question: "of course", "happy to help" and "you are welcome" are not among them.
 */
// biome-ignore format: a table is read by its columns, one wording a line
const COURTESIES: readonly (readonly [kind: CourtesyKind, pattern: RegExp])[] = [
  ['greeting', /^(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| again)?$/u],
  ['greeting', /^(?:hallo|guten (?:tag|morgen|abend)|hola|buenos días|bonjour|salut|ciao|olá)$/u],
  ['greeting', /^how are you(?: doing)?(?: today)?$/u],
  ['thanks', /^(?:many )?(?:thanks|thank you|thx)(?: (?:so|very) much| a lot| again)?(?: for (?:your|the) help)?$/u],
  ['thanks', /^(?:danke|gracias|merci|grazie|obrigado|obrigada)$/u],
  ['farewell', /^(?:good)?bye(?: bye)?(?: for now)?$|^see you(?: later| soon)?$|^good night$|^take care$/u],
  ['farewell', /^have a (?:nice|good|great|lovely) (?:day|evening|weekend)$/u],
  ['offer', /^how (?:can|may|could) i help(?: you)?(?: today)?$|^what can i (?:do for you|help you with)(?: today)?$/u],
  ['offer', /^(?:i am |i'm )?here to help$|^nice to meet you$/u],
  ['apology', /^(?:i am |i'm )?(?:very )?sorry$|^(?:but )?i (?:cannot|can't|can not|am not able to) help(?: you)? with (?:that|this)$/u],
];

const EMOJI = /\p{Extended_Pictographic}|\u200d|\ufe0f/gu;

/** The kinds of a text that consists of courtesies only; null for any other text. */
function courtesiesIn(text: string): ReadonlySet<CourtesyKind> | null {
  const phrases = plainText(text.replace(EMOJI, ''))
    .split(/[.,;:!?…()\n-]+/u)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
  const kinds = phrases.map((phrase) => COURTESIES.find(([, pattern]) => pattern.test(phrase))?.[0]);
  return kinds.length === 0 || kinds.includes(undefined) ? null : new Set(kinds as readonly CourtesyKind[]);
}

/** Lists what an agent can do, in the words of its own intents. */
export function offerOf(intents: readonly Pick<IntentSpec, 'description'>[]): string {
  const tasks = intents
    .slice(0, LISTED_MAX)
    .map(({ description }) => description.trim().replace(/(?<![.;])[.;]+$/u, ''));
  return `I can help with: ${tasks.join('; ')}.`;
}

const LISTED_MAX = 10;

/** The answer to a message that only greets, thanks or says goodbye; null for any other message. */
export function answerCourtesy(message: string, intents: readonly Pick<IntentSpec, 'description'>[]): string | null {
  const kinds = courtesiesIn(message);
  if (kinds === null || kinds.has('offer') || kinds.has('apology')) return null;
  if (kinds.has('farewell')) return 'Goodbye.';
  if (kinds.has('thanks')) return 'You are welcome.';
  return `Hello. ${offerOf(intents)}`;
}

/** Whether a text begins like a refusal. Its words are not shown, so it may be taken for one. */
export const isRefusalText = (text: string): boolean => REFUSAL.test(plainText(text).trim());

const REFUSAL =
  /^(?:(?:i am|i'm) )?(?:sorry|afraid|unable|not able)\b|^unfortunately\b|^i (?:cannot|can't|can not|can only)\b/u;

/** The words of a model that need no evidence, and whether they are all of its words. */
export interface Courtesies {
  readonly text: string;
  readonly isAll: boolean;
}

const SENTENCES_MAX = 10;

/** Keeps the sentences that consist of courtesies. All others would claim something without an observation. */
export function keepCourtesies(text: string): Courtesies {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/u).filter((sentence) => sentence.trim() !== '');
  const kept = sentences.slice(0, SENTENCES_MAX).filter((sentence) => courtesiesIn(sentence) !== null);
  const shown = kept.map((sentence) => sentence.replace(EMOJI, '').trim());
  return { text: shown.join(' '), isAll: kept.length > 0 && kept.length === sentences.length };
}
