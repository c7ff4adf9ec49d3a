import type { JsonObject } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import type { EmailCalendarRules } from '../../model/rules/email-calendar.ts';
import { momentOf } from '../../model/rules/moment.ts';
import { isFree, saysSomething, textAt, textsAt } from '../../model/rules/operation.ts';
import { brokenLine, isAddress, unseenRecipient } from './addresses.ts';
import { type CategoryCheck, denied, type Finding, FREE, firstOf, gated, incomplete } from './finding.ts';

/** Drafting and looking are free. What reaches people is for a person to see, once it is right in itself. */
export const emailCalendarCheck: CategoryCheck<EmailCalendarRules> = (rules, { args, now }) => {
  if (isFree(rules.operation, args)) return FREE;
  const recipients = recipientsOf(rules, args);
  if (recipients === null) return incomplete('what stands where recipients are named is no address');
  const against = firstOf(
    () => badRecipient(rules, recipients),
    () => smuggled(rules, args),
    () => {
      const empty = rules.content.find((pointer) => !saysSomething(jsonAt(args, pointer)));
      return empty === undefined ? null : incomplete(`there is no content at ${empty}`);
    },
    () => badMoment(rules, args, now),
    () =>
      textAt(args, rules.intent) === null
        ? incomplete(`the call does not say at ${rules.intent} what it is for`)
        : null,
  );
  return against ?? gated('it reaches people', { recipients, intent: textAt(args, rules.intent) });
};

function recipientsOf(rules: EmailCalendarRules, args: JsonObject): readonly string[] | null {
  const all: string[] = [];
  for (const pointer of rules.recipients) {
    if (jsonAt(args, pointer) === undefined) continue;
    const found = textsAt(args, pointer);
    if (found === null) return null;
    all.push(...found);
  }
  return all;
}

function badRecipient({ reach, recipients_max }: EmailCalendarRules, recipients: readonly string[]): Finding | null {
  if (recipients.length === 0) return incomplete('the call names no recipient');
  const malformed = recipients.find((address) => !isAddress(address));
  if (malformed !== undefined) return denied(`${JSON.stringify(malformed)} is no single address`);
  if (recipients_max !== undefined && recipients.length > recipients_max) {
    return denied(`it would reach ${recipients.length} people, and ${recipients_max} is the most`);
  }
  const stranger = recipients.find((address) => reach !== undefined && !isReached(reach, address.toLowerCase()));
  return stranger === undefined ? null : denied(`${stranger} is nobody whom this tool may reach`);
}

/** Whom the rules do not look at is reached all the same: a copy that nobody declared, a header in a subject. */
function smuggled({ recipients, content, intent }: EmailCalendarRules, args: JsonObject): Finding | null {
  const unseen = unseenRecipient(args, recipients, [...content, intent]);
  if (unseen !== null) return denied(`${unseen} names somebody to reach, and the rules of the tool do not list it`);
  const broken = brokenLine(args);
  return broken === null ? null : denied(`${broken} is more than one line`);
}

const isReached = (reach: readonly string[], address: string): boolean =>
  reach.some((allowed) => {
    const lower = allowed.toLowerCase();
    return lower.startsWith('@') ? address.endsWith(lower) : address === lower;
  });

function badMoment({ timing }: EmailCalendarRules, args: JsonObject, now: number): Finding | null {
  if (timing === undefined) return null;
  const moment = momentOf(jsonAt(args, timing));
  if (moment === null) return incomplete(`there is no moment at ${timing}`);
  return moment < now ? denied(`the moment at ${timing} has passed`) : null;
}
