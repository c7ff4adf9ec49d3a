import { isJsonObject, type JsonObject } from '../model/json.ts';
import { RISK_CLASSES, type RiskClass } from '../model/risk.ts';
import type { Journal } from '../ports/journal.ts';
import type { GateRow } from '../ports/journal-rows.ts';
import { diffPackets, type PacketChange } from './packet-diff.ts';

/** One thing that somebody has to decide, with what is new about it against the last of its kind that was approved. */
export interface InboxItem {
  readonly gate: GateRow;
  readonly packet: JsonObject;
  /** Null where nothing of the kind was ever approved: then all of it is new. */
  readonly changed: readonly PacketChange[] | null;
}

/** Items that ask the same at the same gate. They are read together and decided one by one. */
export interface InboxGroup {
  readonly name: string;
  readonly action: string;
  readonly items: readonly InboxItem[];
}

export interface Inbox {
  readonly groups: readonly InboxGroup[];
  /** Too many wait, or one for too long: what carries little risk is put off, so that the rest is read with care. */
  readonly saturated: boolean;
  readonly deferred: readonly InboxItem[];
}

export interface InboxFilter {
  readonly tenant?: string;
  readonly capacity?: QueueCapacity;
}

/** What people can read with care. */
export interface QueueCapacity {
  readonly waitingMax: number;
  readonly ageMaxMs: number;
}

const USUAL: QueueCapacity = Object.freeze({ waitingMax: 50, ageMaxMs: 4 * 3_600_000 });

/** Reads what waits for people. Nothing here decides, and nothing that is put off or runs out of time is let pass. */
export async function readInbox(journal: Journal, now: number, filter: InboxFilter = {}): Promise<Inbox> {
  const { tenant, capacity = USUAL } = filter;
  const of = tenant === undefined ? {} : { tenant };
  const open = (await journal.gates({ ...of, statuses: ['open'] })).filter(({ expires_at }) => now < expires_at);
  const before = approvedBefore(journal);
  const items = await Promise.all(open.map((gate) => itemOf(journal, gate, before)));
  const saturated = open.length > capacity.waitingMax || open.some((gate) => now - gate.opened_at > capacity.ageMaxMs);
  const deferred = saturated ? items.filter(isMinor) : [];
  return { groups: grouped(items.filter((item) => !deferred.includes(item))), saturated, deferred };
}

async function itemOf(journal: Journal, gate: GateRow, approvedOf: ApprovedBefore): Promise<InboxItem> {
  const packet = await packetOf(journal, gate);
  const before = await approvedOf(gate, actionOf(packet));
  return { gate, packet, changed: before === null ? null : diffPackets(before, packet) };
}

/** The packet about the same action that was last approved at a gate of this name, for this tenant. */
type ApprovedBefore = (gate: GateRow, action: string) => Promise<JsonObject | null>;

/** Asked once for each gate and action, however many of them wait. */
function approvedBefore(journal: Journal): ApprovedBefore {
  const read = new Map<string, Promise<JsonObject | null>>();
  return ({ tenant_id: tenant, name }, action) => {
    const key = `${tenant}\n${name}\n${action}`;
    const found = read.get(key) ?? lastApproved(journal, { tenant, name, action });
    read.set(key, found);
    return found;
  };
}

async function lastApproved(
  journal: Journal,
  about: { readonly tenant: string; readonly name: string; readonly action: string },
): Promise<JsonObject | null> {
  const [row] = await journal.gates({ ...about, statuses: ['approved'], order: 'newest', limit: 1 });
  return row === undefined ? null : await packetOf(journal, row);
}

async function packetOf(journal: Journal, { packet_hash }: GateRow): Promise<JsonObject> {
  const packet: unknown = JSON.parse(await journal.blob(packet_hash as `sha256:${string}`));
  return isJsonObject(packet as JsonObject) ? (packet as JsonObject) : {};
}

const actionOf = ({ action, kind }: JsonObject): string => String(action ?? kind ?? '');

/** Groups in the order of their oldest item. */
function grouped(items: readonly InboxItem[]): readonly InboxGroup[] {
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    const key = `${item.gate.name}\n${actionOf(item.packet)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ name: first.gate.name, action: actionOf(first.packet), items: group }];
  });
}

/** Low risk, and nothing that destroys. A packet that does not say is not minor. */
function isMinor({ packet }: InboxItem): boolean {
  const risk = RISK_CLASSES.indexOf(packet['risk'] as RiskClass);
  return risk === 0 && packet['approval_mode'] !== 'destructive';
}
