import type { JsonObject } from '../../model/json.ts';
import { momentOf } from '../../model/rules/moment.ts';
import { isCovered, leavesOf } from './leaves.ts';

/** As long as a mail server takes them. */
const ADDRESS_MAX = 254;

/**
 * One address and nothing else: no second one, no group, no display name, no quotes, no comment, no route through another
 * server (`a%b@c`, `b!a@c`), no letters outside ASCII that look like others, nothing that a program takes for an option.
 */
const ADDRESS =
  /^[A-Za-z0-9_][A-Za-z0-9_+'=&~-]*(?:\.[A-Za-z0-9_+'=&~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*(?!\d+$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

export const isAddress = (text: string): boolean => text.length <= ADDRESS_MAX && ADDRESS.test(text);

/** Names of arguments, without case and marks, in which messages and invitations say whom they reach. */
const REACHING = new Set(
  (
    'to cc bcc recipient recipients torecipients ccrecipients bccrecipients tolist cclist bcclist resentto resentcc ' +
    'resentbcc sendto mailto forwardto attendee attendees requiredattendees optionalattendees guest guests invitee invitees'
  ).split(' '),
);

/** Names of arguments that become one line of a header. */
const ONE_LINE = new Set('subject title from sender organizer replyto'.split(' '));

/** Whoever stands in one of these reaches nobody by it. */
const SENDING = new Set('from sender organizer replyto'.split(' '));

const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** A text that is an address, begins with one, lists one, or holds one behind a display name; not one that mentions one. */
const HOLDS_ADDRESS = /(?:^|[,;:<])\s*(?:"[^"]*"|[^\s@<>,;:"]+)@[^\s@]/;
const HEADER = /^\s*(?:resent-)?(?:to|cc|bcc)\s*:/im;
/** A day with or without a time, and nothing behind it: `2030-01-01@example.com` is somebody's address. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.,+Z-]*)?$/;

/** Where the call names somebody whom no rule would look at, or null. `known` are recipients, `prose` may hold anything. */
export function unseenRecipient(args: JsonObject, known: readonly string[], prose: readonly string[]): string | null {
  const unseen = leavesOf(args).find(({ pointer, name, value }) => {
    const text = String(value);
    if (isCovered(pointer, known) || text.trim() === '') return false;
    // Whoever is known by a number is reached by it, too; but a number behind `to` ends a range.
    if (typeof value === 'number') return REACHING.has(name) && name !== 'to';
    if (REACHING.has(name)) return momentOf(text) === null && !DAY.test(text);
    if (isCovered(pointer, prose) || SENDING.has(name)) return false;
    const plain = text.normalize('NFKC').trim();
    return HOLDS_ADDRESS.test(plain) || HEADER.test(plain);
  });
  return unseen?.pointer ?? null;
}

/** Where a text that becomes one line of a header holds more than one, or null: the second line would be a header, too. */
export function brokenLine(args: JsonObject): string | null {
  return (
    leavesOf(args).find(({ name, value }) => ONE_LINE.has(name) && LINE_BREAK.test(String(value)))?.pointer ?? null
  );
}
