import type { Derived } from '../kernel/derive.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { CompiledContext } from '../model/context.ts';
import type { EventBody } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { ToolRegistry } from '../model/tool.ts';
import { decidedBy } from './decided-by.ts';
import type { RunContext, RunContexts } from './run-contexts.ts';

/** What of a run's pins goes on record. */
interface Pinned {
  readonly context: CompiledContext;
  readonly env: KernelEnv;
  readonly registry: ToolRegistry;
}

/** For whoever has nothing to remember: every run is told the same. */
export function sameFor({ context, env }: Pinned): Pick<RunContexts, 'of'> {
  const whole = toBlob(canonicalize(context as unknown as Json), env.hash);
  const told = { context, blobs: [whole], quarantined: {} };
  return { of: () => told };
}

/** What a run is decided with goes on record with its beginning: a replay reads that, and nothing newer. */
export function recordedWith(pins: Pinned, { blobs, quarantined }: RunContext, event: EventBody): Derived {
  const [context] = blobs;
  if (event.type !== 'run_initialized' || context === undefined) return { event, blobs: [] };
  const put = Object.keys(quarantined).length === 0 ? {} : { quarantined };
  const rules = decidedBy(pins.env);
  const kept = { context: context.address, decided_by: rules.address };
  return { event: { ...event, ...kept, ...put }, blobs: [...blobs, rules, ...snapshotsOf(pins)] };
}

const SNAPSHOTS = new WeakMap<Pinned, readonly Blob[]>();

/** Tools and decisions under the very addresses that are their versions; made once, not for every run. */
function snapshotsOf(pins: Pinned): readonly Blob[] {
  const known = SNAPSHOTS.get(pins);
  if (known !== undefined) return known;
  const { registry, env } = pins;
  const lists = [registry.tools, [...env.catalog.values()]];
  const made = lists.map((list) => toBlob(canonicalize(list as unknown as Json), env.hash));
  SNAPSHOTS.set(pins, made);
  return made;
}
