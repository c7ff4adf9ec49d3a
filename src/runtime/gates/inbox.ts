import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { faultRow } from '../../model/fault/fault-table.ts';
import type { GateProgress } from '../../model/gate/gate-terms.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { RISK_CLASSES, type RiskClass } from '../../model/policy/risk.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import { gateRowDamage } from '../../ports/journal/valid-rows.ts';
import { recordedOf } from '../tenants/recorded-tenant.ts';
import { recordedProgress } from './closed-gate.ts';

/** One difference between two packets. `before` or `now` is undefined if that packet has no value there. */
interface PacketChange {
  readonly pointer: string;
  readonly before: Json | undefined;
  readonly now: Json | undefined;
}

/** Fields that differ in every packet and so tell a reader nothing. */
const ALWAYS_NEW: ReadonlySet<string> = new Set([
  'run_id',
  'step_id',
  'args_hash',
  'plan_id',
  'plan_hash',
  'expires_at',
  'evidence',
  'evidence_refs',
  'evidence_hash',
]);

/** Compares a packet with the last approved one of its kind. Lists are compared as single values. */
export function diffPackets(before: JsonObject, now: JsonObject): readonly PacketChange[] {
  return changes(withoutDeadlines(before), withoutDeadlines(now), '').filter(
    ({ pointer }) => !ALWAYS_NEW.has(pointer.split('/')[1] ?? ''),
  );
}

/** The packet without the deadline of each of its gates. */
function withoutDeadlines(packet: JsonObject): JsonObject {
  const { gates } = packet;
  if (!isJsonList(gates ?? null)) return packet;
  const terms = (gates as readonly JsonObject[]).map(({ name = null, deciders = null }) => ({ name, deciders }));
  return { ...packet, gates: terms };
}

function changes(before: Json | undefined, now: Json | undefined, pointer: string): readonly PacketChange[] {
  if (before !== undefined && now !== undefined) {
    if (sameJson(before, now)) return [];
    if (isJsonObject(before) && isJsonObject(now)) {
      const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
      return keys.flatMap((key) => changes(at(before, key), at(now, key), pointer + pointerToken(key)));
    }
  }
  return [{ pointer, before, now }];
}

const at = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** One open gate, with the differences from the last approved packet of its kind. */
export interface InboxItem {
  readonly gate: GateRow;
  /** Every gate of the call, with the person who decided it. */
  readonly gates: readonly GateProgress[];
  readonly packet: JsonObject;
  /** Null if no packet of this kind was ever approved. */
  readonly changed: readonly PacketChange[] | null;
}

/** Open gates with the same name and action. They are shown together and decided one by one. */
export interface InboxGroup {
  readonly name: string;
  readonly action: string;
  readonly items: readonly InboxItem[];
}

export interface Inbox {
  readonly groups: readonly InboxGroup[];
  /** True if too many gates wait, or one waits too long. Low-risk items are then deferred for a careful review. */
  readonly saturated: boolean;
  readonly deferred: readonly InboxItem[];
  /** Open gates whose packet or row cannot be read. They cannot be approved, only rejected or cancelled. */
  readonly damaged: readonly DamagedGate[];
}

export interface DamagedGate {
  readonly gate: GateRow;
  readonly message: string;
}

export interface InboxFilter {
  readonly tenant?: string;
  readonly capacity?: QueueCapacity;
}

/** How many gates people can review with care, and how old they may get. */
interface QueueCapacity {
  readonly waitingMax: number;
  readonly ageMaxMs: number;
}

const USUAL: QueueCapacity = Object.freeze({ waitingMax: 50, ageMaxMs: 4 * 3_600_000 });

/** Reads the open gates. It decides nothing; a deferred or expired gate is not approved. */
export async function readInbox(journal: Journal, now: number, filter: InboxFilter = {}): Promise<Inbox> {
  const { tenant, capacity = USUAL } = filter;
  const of = tenant === undefined ? {} : { tenant };
  const rows = (await journal.gates({ ...of, statuses: ['open'] })).filter(
    (gate) => gateRowDamage(gate) !== null || now < gate.expires_at,
  );
  const open = tenant === undefined ? rows : await recordedOf(journal, tenant, rows, ({ session_id }) => session_id);
  const before = approvedBefore(journal);
  const read = await Promise.all(open.map((gate) => readItem(journal, gate, before)));
  const items = read.filter((one) => 'packet' in one);
  const damaged = read.filter((one) => 'message' in one);
  const saturated = open.length > capacity.waitingMax || open.some((gate) => isOld(gate, now - capacity.ageMaxMs));
  const deferred = saturated ? items.filter(isMinor) : [];
  return { groups: groupItems(items.filter((item) => !deferred.includes(item))), saturated, deferred, damaged };
}

const isOld = (gate: GateRow, before: number): boolean => gateRowDamage(gate) === null && gate.opened_at < before;

/** Reads one item. A packet that cannot be read must not hide the other gates. */
async function readItem(journal: Journal, gate: GateRow, approvedOf: ApprovedBefore): Promise<InboxItem | DamagedGate> {
  const damage = gateRowDamage(gate);
  if (damage !== null) return { gate, message: damage };
  try {
    return await itemOf(journal, gate, approvedOf);
  } catch (error) {
    if (Fault.is(error) && faultRow(error.code).retryable) throw error;
    return { gate, message: reasonOf(error) };
  }
}

async function itemOf(journal: Journal, gate: GateRow, approvedOf: ApprovedBefore): Promise<InboxItem> {
  const packet = await packetOf(journal, gate);
  const before = await approvedOf(gate, actionOf(packet));
  const gates = await progressOf(journal, gate, packet);
  return { gate, gates, packet, changed: before === null ? null : diffPackets(before, packet) };
}

/** The only gate of an open request is undecided; with several, the run has to be read. */
async function progressOf(journal: Journal, gate: GateRow, packet: JsonObject): Promise<readonly GateProgress[]> {
  if (packet['gates'] === undefined) return [{ name: gate.name, decided_by: null }];
  return recordedProgress((await journal.load(gate.session_id)).flatMap(frameEvents), gate);
}

/** Finds the last approved packet for the same tenant, gate name and action. */
type ApprovedBefore = (gate: GateRow, action: string) => Promise<JsonObject | null>;

/** Caches the lookup, so that it runs once per tenant, gate name and action. */
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
  // An earlier packet that cannot be read is not compared with; the gate itself can still be decided.
  return row === undefined ? null : await packetOf(journal, row).catch(() => null);
}

async function packetOf(journal: Journal, { packet_hash }: GateRow): Promise<JsonObject> {
  const packet: unknown = JSON.parse(await journal.blob(packet_hash as `sha256:${string}`));
  return isJsonObject(packet as JsonObject) ? (packet as JsonObject) : {};
}

const actionOf = ({ action, kind }: JsonObject): string => String(action ?? kind ?? '');

/** Groups items by gate name and action, in the order of their oldest item. */
function groupItems(items: readonly InboxItem[]): readonly InboxGroup[] {
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

/** Returns whether an item has low risk and is not destructive. A packet without a risk is not minor. */
function isMinor({ packet }: InboxItem): boolean {
  const risk = RISK_CLASSES.indexOf(packet['risk'] as RiskClass);
  return risk === 0 && packet['approval_mode'] !== 'destructive';
}
