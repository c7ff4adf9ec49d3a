import type { JsonObject } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import type { EmailCalendarRules } from '../../model/tool/rules/email-calendar.ts';
import { hasContent, isFree, textAt, textsAt } from '../../model/tool/rules/operation.ts';
import { parseTimestamp } from '../../model/tool/rules/timestamp.ts';
import { categoryLeaves, isCovered } from './category-leaves.ts';
import { type CategoryCheck, type CategoryFinding, denied, FREE, firstFinding, gated, incomplete } from './finding.ts';

/** The longest address that mail servers accept. */
const ADDRESS_MAX = 254;

/**
 * One plain address: no list, group, display name, quotes or comment, no route through another server (`a%b@c`,
 * `b!a@c`), no lookalike letters outside ASCII, no leading `-` that a program takes for an option.
 */
const ADDRESS =
  /^[A-Za-z0-9_][A-Za-z0-9_+'=&~-]*(?:\.[A-Za-z0-9_+'=&~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*(?!\d+$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

export const isAddress = (text: string): boolean => text.length <= ADDRESS_MAX && ADDRESS.test(text);

/** Argument names that hold recipients, in the form that `plainName` returns. */
const REACHING = new Set(
  (
    'to cc bcc recipient recipients torecipients ccrecipients bccrecipients tolist cclist bcclist resentto resentcc ' +
    'resentbcc sendto mailto forwardto attendee attendees requiredattendees optionalattendees guest guests invitee invitees'
  ).split(' '),
);

/** Argument names that become a header line. */
const ONE_LINE = new Set('subject title from sender organizer replyto'.split(' '));

/** Argument names that hold the sender, not a recipient. */
const SENDING = new Set('from sender organizer replyto'.split(' '));

const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Matches a text that is, lists or wraps an address, e.g. `Ann <ann@example.com>`; not prose that mentions one. */
const HOLDS_ADDRESS = /(?:^|[,;:<])\s*(?:"[^"]*"|[^\s@<>,;:"]+)@[^\s@]/;
const HEADER = /^[^\S\r\n\u2028\u2029]*(?:resent-)?(?:to|cc|bcc)\s*:/im;
/** A date with or without a time. Anchored at the end, because `2030-01-01@example.com` is an address. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.,+Z-]*)?$/;

/** Returns the pointer of a recipient that is not in `known`, or null. Texts in `prose` may mention addresses. */
export function findUncoveredRecipient(
  args: JsonObject,
  known: readonly string[],
  prose: readonly string[],
): string | null {
  const uncovered = categoryLeaves(args).find(({ pointer, name, value }) => {
    const text = String(value);
    if (isCovered(pointer, known) || text.trim() === '') return false;
    // A recipient may be a numeric id, but a number in `to` is the end of a range.
    if (typeof value === 'number') return REACHING.has(name) && name !== 'to';
    if (REACHING.has(name)) return parseTimestamp(text) === null && !DAY.test(text);
    if (isCovered(pointer, prose) || SENDING.has(name)) return false;
    const plain = text.normalize('NFKC').trim();
    return HOLDS_ADDRESS.test(plain) || HEADER.test(plain);
  });
  return uncovered?.pointer ?? null;
}

/** Returns the pointer of a header field with a line break, or null. Its second line would be another header. */
export function findHeaderLineBreak(args: JsonObject): string | null {
  return (
    categoryLeaves(args).find(({ name, value }) => ONE_LINE.has(name) && LINE_BREAK.test(String(value)))?.pointer ??
    null
  );
}

/** Checks a mail or an invitation. Drafts and reads need no approval; a valid message that reaches people needs one. */
export const emailCalendarCheck: CategoryCheck<EmailCalendarRules> = (rules, { args, now }) => {
  if (isFree(rules.operation, args)) return FREE;
  const recipients = recipientsOf(rules, args);
  if (recipients === null) return incomplete('what stands where recipients are named is no address');
  const against = firstFinding(
    () => badRecipient(rules, recipients),
    () => uncoveredRecipient(rules, args),
    () => {
      const empty = rules.content.find((pointer) => !hasContent(jsonAt(args, pointer)));
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

function badRecipient(
  { reach, recipients_max }: EmailCalendarRules,
  recipients: readonly string[],
): CategoryFinding | null {
  if (recipients.length === 0) return incomplete('the call names no recipient');
  const malformed = recipients.find((address) => !isAddress(address));
  if (malformed !== undefined) return denied(`${JSON.stringify(malformed)} is no single address`);
  if (recipients_max !== undefined && recipients.length > recipients_max) {
    return denied(`it would reach ${recipients.length} people, and ${recipients_max} is the most`);
  }
  const notAllowed = recipients.find((address) => reach !== undefined && !isReached(reach, address.toLowerCase()));
  return notAllowed === undefined ? null : denied(`${notAllowed} is not a recipient that this tool may reach`);
}

/** Refuses recipients that the rules do not cover, e.g. an undeclared `bcc` or a header injected into the subject. */
function uncoveredRecipient(
  { recipients, content, intent }: EmailCalendarRules,
  args: JsonObject,
): CategoryFinding | null {
  const uncovered = findUncoveredRecipient(args, recipients, [...content, intent]);
  if (uncovered !== null) return denied(`${uncovered} names a recipient, and the rules of the tool do not list it`);
  const broken = findHeaderLineBreak(args);
  return broken === null ? null : denied(`${broken} is more than one line`);
}

const isReached = (reach: readonly string[], address: string): boolean =>
  reach.some((allowed) => {
    const lower = allowed.toLowerCase();
    return lower.startsWith('@') ? address.endsWith(lower) : address === lower;
  });

function badMoment({ timing }: EmailCalendarRules, args: JsonObject, now: number): CategoryFinding | null {
  if (timing === undefined) return null;
  const moment = parseTimestamp(jsonAt(args, timing));
  if (moment === null) return incomplete(`there is no moment at ${timing}`);
  return moment < now ? denied(`the moment at ${timing} has passed`) : null;
}
