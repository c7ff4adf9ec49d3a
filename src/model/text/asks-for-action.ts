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
  'end|terminate|suspend|freeze|unfreeze|void|reverse|reimburse|redeem|dispute|put|swap|merge|correct|fix|mark|' +
  'archive|restore|publish|print|run|trigger|release|issue|share|upload|notify|call|sign|confirm|top up';

const BEFORE =
  '(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: there)?[ ,.!]+)?' +
  '(?:(?:please|kindly|now|then|ok|okay|just|also|and|so|pls)[ ,]+)*' +
  '(?:(?:can|could|would|will) (?:you|u|we) |(?:i|we) (?:want|need|would like|have) (?:you )?(?:to )|' +
  "(?:i|we)'d like (?:you )?to |go ahead and |help me (?:to )?|let us |let's )?(?:please |just |also |kindly )*";

const ORDER = new RegExp(`^${BEFORE}(?:${VERBS})\\b(?! (?:is|are|was|were|has|have|of)\\b)`, 'u');

/** A verb behind a comma orders an action only together with its object: "My card is lost, block it". */
const ORDER_OF = new RegExp(
  `, ?(?:please |so |and |now )*(?:${VERBS}) (?:it|them|this|that|these|my|our|the|all)\\b`,
  'u',
);

/** Whether one of the sentences of a message orders an action in English words, such as "Please cancel my order". */
export const asksForAction = (message: string): boolean =>
  plainText(message)
    .split(/[.!?;\n]+/u)
    .some((sentence) => ORDER.test(sentence.trim()) || ORDER_OF.test(sentence));
