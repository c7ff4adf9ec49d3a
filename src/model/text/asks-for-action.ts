import { plainText } from './plain-text.ts';

/**
 * The verbs of actions on accounts, orders, payments, messages and systems. Verbs that ask for words, such as "write",
 * "tell" or "explain", are not among them.
 */
const VERBS =
  'cancel|refund|pay|charge|credit|debit|transfer|wire|send|email|mail|forward|book|rebook|reserve|order|reorder|buy|' +
  'purchase|sell|return|exchange|replace|ship|deliver|delete|remove|erase|update|change|rename|move|upgrade|downgrade|' +
  'renew|extend|pause|resume|stop|start|restart|reboot|deploy|roll back|rollback|reset|unlock|lock|block|unblock|enable|' +
  'disable|activate|deactivate|subscribe|unsubscribe|register|enrol|enroll|schedule|reschedule|close|reopen|open|' +
  'approve|reject|submit|file|apply|waive|grant|revoke|invite|assign|escalate|disconnect|port|switch|add|create|remit|withdraw|deposit|' +
  'end|terminate|turn|process|set|suspend|freeze|unfreeze|void|reverse|reimburse|redeem|dispute|put|swap|merge|correct|fix|mark|' +
  'archive|restore|publish|print|run|trigger|release|issue|share|upload|notify|call|sign|confirm|top up';

const BEFORE =
  '(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: there)?[ ,.!]+)?' +
  '(?:(?:please|kindly|now|then|ok|okay|just|also|and|so|pls)[ ,]+)*' +
  '(?:(?:can|could|would|will) (?:you|u|we) |(?:i|we) (?:want|need|would like|have) (?:you )?(?:to )|' +
  "(?:i|we)'d like (?:you )?to |go ahead and |help me (?:to )?|let us |let's )?(?:please |just |also |kindly )*";

const ORDER = new RegExp(`^${BEFORE}(?:${VERBS})\\b(?! (?:is|are|was|were|has|have|of)\\b)`, 'u');

/** "I want a refund", "give me my money back": an order that a noun names. */
const WANTED = new RegExp(
  '^(?:.{0,40} )?(?:(?:i|we) (?:want|need|demand|would (?:like|love))|(?:give|get) (?:me|us)|(?:can|could|may) (?:i|we) (?:have|get)) ' +
    '(?:a |an |my |the |our )(?:\\w+ )?' +
    '(?:refund|cancellation|money back|replacement|exchange|upgrade|downgrade|credit|transfer)\\b',
  'u',
);

/** Whether one of the sentences of a message orders an action in English words, such as "Please cancel my order". */
export const asksForAction = (message: string): boolean =>
  plainText(message)
    .split(/[.,:!?;\n]+|^- /u)
    .map((part) => part.trim())
    .some((part) => ORDER.test(part) || WANTED.test(part));
