import { CompiledContext } from '../model/evidence/context.ts';
import {
  ContextPack,
  type ContextSources,
  compileContext,
  packAddress,
  packJson,
} from '../model/evidence/context-pack.ts';
import { Fault } from '../model/fault/fault.ts';
import { type Blob, toBlob } from '../model/json/blob.ts';
import { canonicalize } from '../model/json/canonical.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import type { Hash } from '../model/json/hash.ts';
import { parse, parseAt } from '../model/json/parse.ts';
import type { AgentSpec } from '../model/run/agent.ts';

/** The context of every run of this agent, and the stored packs that it was compiled from. */
export interface PinnedContext {
  readonly context: CompiledContext;
  readonly contextParts: readonly Blob[];
}

/** Compiles and checks the context. Each item must state its source, time, permission scope and freshness. */
export function contextOf(
  context: CompiledContext | ContextSources | null | undefined,
  { pins }: AgentSpec,
  now: number,
  hash: Hash,
): PinnedContext {
  if (context === undefined || context === null) {
    throw new Fault('input_missing', 'world.context is missing: a run cannot start without a compiled context', {
      path: '/world/context',
    });
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
  const checkedPack = parsePack('/world/context/pack', pack, hash);
  return snapshot === undefined
    ? { pack: checkedPack }
    : { pack: checkedPack, snapshot: parsePack('/world/context/snapshot', snapshot, hash) };
}

function parsePack(at: string, value: ContextPack, hash: Hash): ContextPack {
  const pack = parseAt(at, ContextPack, value, 'input_invalid');
  if (packAddress(hash, pack) === pack.address) return pack;
  throw new Fault(
    'input_invalid',
    `${at.slice(1)}: the content of ${pack.pin} does not match its address: read the pack again with contextPack()`,
    {
      path: `${at}/address`,
    },
  );
}

export function emptyContext({ pins }: AgentSpec, now: number): CompiledContext {
  const { pack_pin, snapshot_pin } = pins;
  return { context_id: 'context_empty', pack_pin, snapshot_pin, items: [], compiled_at: now, memory_snapshot: null };
}
