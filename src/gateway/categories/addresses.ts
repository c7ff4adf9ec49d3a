import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { momentOf } from '../../model/rules/moment.ts';

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
  'to cc bcc recipient recipients torecipients ccrecipients bccrecipients sendto mailto forwardto attendee attendees requiredattendees optionalattendees guest guests invitee invitees'.split(
    ' ',
  ),
);

/** Names of arguments that become one line of a header. */
const ONE_LINE = new Set('subject title from sender organizer replyto'.split(' '));

/** Whoever stands in one of these reaches nobody by it. */
const SENDING = new Set('from sender organizer replyto'.split(' '));

const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const LOOKS_LIKE_ADDRESS = /^[^\s@]+@[^\s@]+$/;
const HEADER = /^\s*(?:to|cc|bcc)\s*:/im;
const DAY = /^\d{4}-\d{2}-\d{2}/;

interface Leaf {
  readonly pointer: string;
  /** The name of the argument or, in a list, of the list. */
  readonly name: string;
  readonly text: string;
}

/** Where the call names somebody whom no rule would look at, or null. `known` are recipients, `prose` may hold anything. */
export function unseenRecipient(args: JsonObject, known: readonly string[], prose: readonly string[]): string | null {
  const unseen = leavesOf(args).find(({ pointer, name, text }) => {
    if (isCovered(pointer, known) || text.trim() === '') return false;
    if (REACHING.has(name)) return momentOf(text) === null && !DAY.test(text);
    if (isCovered(pointer, prose) || SENDING.has(name)) return false;
    return LOOKS_LIKE_ADDRESS.test(text.trim()) || HEADER.test(text);
  });
  return unseen?.pointer ?? null;
}

/** Where a text that becomes one line of a header holds more than one, or null: the second line would be a header, too. */
export function brokenLine(args: JsonObject): string | null {
  return leavesOf(args).find(({ name, text }) => ONE_LINE.has(name) && LINE_BREAK.test(text))?.pointer ?? null;
}

const isCovered = (pointer: string, by: readonly string[]): boolean =>
  by.some((known) => known !== '' && (pointer === known || pointer.startsWith(`${known}/`)));

/** All texts in the arguments. A list of things to do instead of calls: arguments may be nested as deep as anybody likes. */
function leavesOf(args: JsonObject): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const open: { readonly pointer: string; readonly name: string; readonly value: Json }[] = [
    { pointer: '', name: '', value: args },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, name, value } = next;
    if (typeof value === 'string') leaves.push({ pointer, name, text: value });
    else if (typeof value === 'object' && value !== null) {
      const inList = isJsonList(value);
      for (const [key, inner] of Object.entries<Json>(value as JsonObject)) {
        const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
        open.push({ pointer: `${pointer}/${step}`, name: inList ? name : plainName(key), value: inner });
      }
    }
  }
  return leaves;
}

const plainName = (key: string): string => key.toLowerCase().replaceAll(/[^a-z]/g, '');
