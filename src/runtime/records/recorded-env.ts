import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { CompiledContext } from '../../model/evidence/context.ts';
import { compileContext, memoryToItem } from '../../model/evidence/context-pack.ts';
import type { MemoryEntry } from '../../model/evidence/memory.ts';
import { evidenceOf, freshness } from '../../model/evidence/visible-context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { type Json, own } from '../../model/json/json.ts';
import { jsonAt, sameJson } from '../../model/json/json-at.ts';
import { parse } from '../../model/json/parse.ts';
import { storedAt, storedPart, storedParts } from '../../model/json/stored-answer.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { initializedIn } from '../../session/recorded-env.ts';
import { recordedText } from '../../session/run-contexts.ts';

type Blobs = Pick<Journal, 'blob'>;

/** Recomputes the context of a run from its recorded snapshots. The fault names the first missing or different one. */
export async function assertRecordedContext(journal: Blobs, events: readonly RunEvent[]): Promise<void> {
  // A migrated session has a new context from then on, which is checked against its own sources.
  for (const event of events) {
    if (event.type === 'run_migrated' && event.context !== undefined) await contextAt(journal, event.context);
  }
  const begun = initializedIn(events);
  if (begun?.context === undefined) return;
  const context = await contextAt(journal, begun.context);
  const token = events.findLast((event) => event.type === 'scope_resolved')?.token;
  if (token == null) return;
  const evidence = evidenceOf(context, { token, boundary: begun.manifest.autonomy_boundary, now: begun.at });
  assertSame('evidence of the context', { evidence, ...freshness(context, evidence) }, pickEvidence(begun));
}

async function contextAt(journal: Blobs, at: string): Promise<CompiledContext> {
  const text = await recordedText(journal, at, 'compiled context');
  const context = parse(CompiledContext, JSON.parse(text), 'store_corrupt');
  await assertCompiledFrom(journal, context);
  return context;
}

/** Compares the inline parts of results that are stored as blobs with the blobs. */
export async function assertStoredParts(journal: Blobs, events: readonly RunEvent[]): Promise<void> {
  for (const event of events) {
    if (event.type !== 'step_observed' && event.type !== 'call_reconciled') continue;
    const at = storedAt(event.raw);
    const places = at === null ? [] : storedParts(event.raw);
    if (at === null || places.length === 0) continue;
    const stored = JSON.parse(await journal.blob(at as `sha256:${string}`)) as Json;
    for (const place of places) {
      const inline = storedPart(event.raw, place) ?? null;
      if (sameJson(jsonAt(stored, place) ?? null, inline)) continue;
      throw new Fault(
        'replay_divergence',
        `the stored answer at ${at} differs from the journal at ${JSON.stringify(place)}`,
      );
    }
  }
}

const pickEvidence = ({ evidence, fresh_until }: EventOf<'run_initialized'>): object =>
  fresh_until === undefined ? { evidence } : { evidence, fresh_until };

/** Checks that the items are exactly those of the pack, the snapshot and the memory. */
async function assertCompiledFrom(journal: Blobs, context: CompiledContext): Promise<void> {
  const { sources, memory_snapshot, items } = context;
  const remembered = memory_snapshot === null ? [] : await memoriesAt(journal, memory_snapshot);
  const memories = remembered.map(memoryToItem);
  if (sources === undefined) {
    assertSame('memories', items.slice(items.length - memories.length), memories);
    return;
  }
  const pack = await packAt(journal, sources.pack, 'context pack');
  const snapshot = sources.snapshot === undefined ? undefined : await packAt(journal, sources.snapshot, 'snapshot');
  const compiled = compileContext(
    snapshot === undefined ? { pack } : { pack, snapshot },
    context.snapshot_pin,
    context.compiled_at,
  );
  assertSame('compiled context', [...compiled.items, ...memories], items);
}

async function memoriesAt(journal: Blobs, at: string): Promise<readonly MemoryEntry[]> {
  return JSON.parse(await recordedText(journal, at, 'memory snapshot')) as readonly MemoryEntry[];
}

type Pack = Parameters<typeof compileContext>[0]['pack'];

async function packAt(journal: Blobs, at: Pack['address'], what: string): Promise<Pack> {
  const { pin, items } = JSON.parse(await recordedText(journal, at, what)) as Omit<Pack, 'address'>;
  return { pin, items, address: at };
}

function assertSame(what: string, derived: unknown, recorded: unknown): void {
  if (canonicalize(derived as Json) === canonicalize(recorded as Json)) return;
  const first = Object.keys(derived as object).find(
    (key) => own(derived as Record<string, unknown>, key) !== own(recorded as Record<string, unknown>, key),
  );
  throw new Fault(
    'replay_divergence',
    `replay computes a different ${what}${first === undefined ? '' : ` at ${first}`}`,
  );
}
