import type { AgentSpec } from '../../model/agent.ts';
import { type Blob, toBlob } from '../../model/blob.ts';
import { canonicalize } from '../../model/canonical.ts';
import { CompiledContext } from '../../model/context.ts';
import { ContextPack, type ContextSources, compileContext, packAddress, packJson } from '../../model/context-pack.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Hash } from '../../model/hash.ts';
import { parse, parseAt } from '../../model/parse.ts';

/** The context of every run of this agent, and the packs it was compiled from as they are stored. */
export interface GivenContext {
  readonly context: CompiledContext;
  readonly contextParts: readonly Blob[];
}

/** What a planner reads keeps where it came from, when, for whom and how long it is fresh, or it is not taken in. */
export function contextOf(
  context: CompiledContext | ContextSources | null | undefined,
  { pins }: AgentSpec,
  now: number,
  hash: Hash,
): GivenContext {
  if (context === undefined || context === null) {
    throw new Fault('input_missing', 'a run cannot start without a compiled context', { path: '/world/context' });
  }
  if (!('pack' in context)) {
    return { context: deepFreeze(parse(CompiledContext, context, 'input_invalid')), contextParts: [] };
  }
  const sources = sourcesOf(context, hash);
  const { pack, snapshot } = sources;
  const compiled = deepFreeze(parse(CompiledContext, compileContext(sources, pins.snapshot_pin, now), 'input_invalid'));
  const packs = snapshot === undefined ? [pack] : [pack, snapshot];
  return { context: compiled, contextParts: packs.map((each) => toBlob(canonicalize(packJson(each)), hash)) };
}

function sourcesOf({ pack, snapshot }: ContextSources, hash: Hash): ContextSources {
  const given = checked('/world/context/pack', pack, hash);
  return snapshot === undefined
    ? { pack: given }
    : { pack: given, snapshot: checked('/world/context/snapshot', snapshot, hash) };
}

function checked(at: string, value: ContextPack, hash: Hash): ContextPack {
  const pack = parseAt(at, ContextPack, value, 'input_invalid');
  if (packAddress(hash, pack) === pack.address) return pack;
  throw new Fault('input_invalid', `${at.slice(1)}: ${pack.pin} does not hold what its address says`, {
    path: `${at}/address`,
  });
}

export function emptyContext({ pins }: AgentSpec, now: number): CompiledContext {
  const { pack_pin, snapshot_pin } = pins;
  return { context_id: 'context_empty', pack_pin, snapshot_pin, items: [], compiled_at: now, memory_snapshot: null };
}
