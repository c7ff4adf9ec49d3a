import type { KernelEnv } from '../kernel/env.ts';
import { type CompileSchema, toolTable } from '../kernel/verify/tool-table.ts';
import { canonicalize } from '../model/canonical.ts';
import { CompiledContext } from '../model/context.ts';
import { compileContext, toItem } from '../model/context-pack.ts';
import { DecisionSpec } from '../model/decision.ts';
import type { EventOf, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { jsonAt, sameJson } from '../model/json-at.ts';
import type { MemoryEntry } from '../model/memory.ts';
import { own } from '../model/own.ts';
import { parse } from '../model/parse.ts';
import { storedAt, storedPart, storedParts } from '../model/stored-answer.ts';
import { ToolRegistry } from '../model/tool.ts';
import { evidenceOf, freshness } from '../model/visible-context.ts';
import type { Journal } from '../ports/journal.ts';
import { recordedText } from './run-contexts.ts';

type Blobs = Pick<Journal, 'blob'>;

/**
 * What a run was decided with, taken from the run itself: its tools and its decisions as they were then, whatever the
 * process has by now. A run that was recorded before it kept them is held against those of the process.
 */
export async function recordedEnv(
  journal: Blobs,
  env: KernelEnv,
  compile: CompileSchema,
  events: readonly RunEvent[],
): Promise<KernelEnv> {
  const begun = begunIn(events);
  if (begun?.context === undefined) return env;
  const { tool_registry_version, decision_catalog_version, autonomy_boundary } = begun.manifest;
  const tools = JSON.parse(await recordedText(journal, tool_registry_version, 'tool registry'));
  const decisions = JSON.parse(await recordedText(journal, decision_catalog_version, 'decision catalogue')) as Json;
  const registry = parse(ToolRegistry, { version: tool_registry_version, tools }, 'store_corrupt');
  const catalog = (decisions as readonly Json[]).map((decision) => parse(DecisionSpec, decision, 'store_corrupt'));
  return {
    ...env,
    tools: toolTable(registry.tools, new Set(autonomy_boundary.tools.allowed), compile),
    catalog: new Map(catalog.map((decision) => [decision.decision_id, decision])),
  };
}

/** What a run read, derived again from the snapshots it is pinned to. A fault names the first that is gone or differs. */
export async function assertRecordedContext(journal: Blobs, events: readonly RunEvent[]): Promise<void> {
  // A session that was migrated has read another context from then on, which is held to its own sources.
  for (const event of events) {
    if (event.type === 'run_migrated' && event.context !== undefined) await contextAt(journal, event.context);
  }
  const begun = begunIn(events);
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

/** What stands in line of answers that are kept beside the journal, held against the answers themselves. */
export async function assertStoredParts(journal: Blobs, events: readonly RunEvent[]): Promise<void> {
  for (const event of events) {
    if (event.type !== 'step_observed' && event.type !== 'call_reconciled') continue;
    const at = storedAt(event.raw);
    const places = at === null ? [] : storedParts(event.raw);
    if (at === null || places.length === 0) continue;
    const whole = JSON.parse(await journal.blob(at as `sha256:${string}`)) as Json;
    for (const place of places) {
      const said = storedPart(event.raw, place) ?? null;
      if (sameJson(jsonAt(whole, place) ?? null, said)) continue;
      throw new Fault('replay_divergence', `the answer at ${at} says something else at ${JSON.stringify(place)}`);
    }
  }
}

const begunIn = (events: readonly RunEvent[]): EventOf<'run_initialized'> | undefined =>
  events.findLast((event) => event.type === 'run_initialized');

const pickEvidence = ({ evidence, fresh_until }: EventOf<'run_initialized'>): object =>
  fresh_until === undefined ? { evidence } : { evidence, fresh_until };

/** The items are those of the pack, of the snapshot and of the memory, and there are no others. */
async function assertCompiledFrom(journal: Blobs, context: CompiledContext): Promise<void> {
  const { sources, memory_snapshot, items } = context;
  const remembered = memory_snapshot === null ? [] : await memoriesAt(journal, memory_snapshot);
  const memories = remembered.map(toItem);
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

function assertSame(what: string, derived: unknown, said: unknown): void {
  if (canonicalize(derived as Json) === canonicalize(said as Json)) return;
  const first = Object.keys(derived as object).find(
    (key) => own(derived as Record<string, unknown>, key) !== own(said as Record<string, unknown>, key),
  );
  throw new Fault('replay_divergence', `the ${what} comes out differently${first === undefined ? '' : ` at ${first}`}`);
}
