import { plainText } from './plain-text.ts';

/** Verbs that do something to an account, an order or a payment, and that are rarely meant otherwise. */
const VERBS =
  'cancel|refund|pay|transfer|return|exchange|replace|delete|remove|erase|close|end|terminate|stop|suspend|freeze|block|unblock|' +
  'update|change|rename|upgrade|downgrade|renew|extend|pause|resume|reset|unlock|book|rebook|reschedule|activate|deactivate|' +
  'reimburse|redeem|ship|resend';

const BEFORE =
  '(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: there)?[ ,.!]+)?' +
  '(?:(?:please|kindly|now|then|ok|okay|just|also|and|so|pls)[ ,]+)*' +
  "(?:(?:can|could|would|will) (?:you|u) |(?:i|we) (?:want|need|would like)(?: you)? to |(?:i|we)'d like(?: you)? to |" +
  'go ahead and )?(?:please |just |also |kindly )*';

/** An imperative about a thing of the user: "cancel my subscription". */
const ORDER = new RegExp(`^${BEFORE}(?:${VERBS}) (?:(?:all|both|one) (?:of )?)?(?:my|our)\\b`, 'u');

/** "I want a refund", "give me my money back". */
const WANTED =
  /\b(?:i|we) (?:want|need|demand|would like) (?:a |my |our )(?:full )?(?:refund|money back)\b|\b(?:give|get) (?:me|us) (?:a |my |our )(?:full )?(?:refund|money back)\b/u;

/**
 * Whether a message clearly orders something about the user's own things, in English. The models say themselves whether
 * a message asks for an action; this is a second guard against a model that denies it.
 */
export const asksForAction = (message: string): boolean =>
  plainText(message)
    .split(/[.,:!?;\n]+|^- /u)
    .map((part) => part.trim())
    .some((part) => ORDER.test(part) || WANTED.test(part));
