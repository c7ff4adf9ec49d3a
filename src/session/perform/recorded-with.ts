import type { Derived, KernelEnv } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import type { CompiledContext } from '../../model/evidence/context.ts';
import { type Blob, toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import type { ToolRegistry } from '../../model/tool/tool.ts';
import { rulesBlob } from '../recorded-rules.ts';
import type { LoadedContext, RunContexts } from '../run-contexts.ts';

/** The pins that a run records. */
interface Pinned {
  readonly context: CompiledContext;
  readonly env: KernelEnv;
  readonly registry: ToolRegistry;
}

/** The contexts of a host without memory: every run gets the same one. */
export function sharedContext({ context, env }: Pinned): Pick<RunContexts, 'of'> {
  const blob = toBlob(canonicalize(context as unknown as Json), env.hash);
  const runContext = { context, blobs: [blob], quarantined: {} };
  return { of: () => runContext };
}

/** Records the context and the rules with the first event of a run, so that a replay does not use newer ones. */
export function recordedWith(pins: Pinned, { blobs, quarantined }: LoadedContext, event: EventBody): Derived {
  const [context] = blobs;
  if (event.type !== 'run_initialized' || context === undefined) return { event, blobs: [] };
  const put = Object.keys(quarantined).length === 0 ? {} : { quarantined };
  const rules = rulesBlob(pins.env);
  const kept = { context: context.address, decided_by: rules.address };
  return { event: { ...event, ...kept, ...put }, blobs: [...blobs, rules, ...snapshotsOf(pins)] };
}

const SNAPSHOTS = new WeakMap<Pinned, readonly Blob[]>();

/** The tools and decisions as blobs, whose addresses are their versions; computed once. */
function snapshotsOf(pins: Pinned): readonly Blob[] {
  const known = SNAPSHOTS.get(pins);
  if (known !== undefined) return known;
  const { registry, env } = pins;
  const lists = [registry.tools, [...env.catalog.values()]];
  const made = lists.map((list) => toBlob(canonicalize(list as unknown as Json), env.hash));
  SNAPSHOTS.set(pins, made);
  return made;
}
