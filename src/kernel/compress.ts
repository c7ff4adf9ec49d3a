import { canonicalize } from '../model/canonical.ts';
import { type ActiveContext, KEPT_CLASSES, type LooseItem } from '../model/compression.ts';
import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';

export type CompressionRuling =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Kept classes that changed, and trace pointers through which nothing can be reached any more. */
      readonly lost: readonly string[];
      /** Trace pointers of material that is still shown although it had to go. */
      readonly left: readonly string[];
    };

/** Holds a compressor, usually a model, to the contract. Its result is used only if this answers ok. */
export function checkCompression(before: ActiveContext, after: ActiveContext): CompressionRuling {
  const lost: string[] = KEPT_CLASSES.filter((name) => !sameJson(before.kept[name], after.kept[name]));
  const shown = new Set(after.loose.map((item) => item.pointer));
  const reachable = new Set([...after.demoted, ...shown]);
  const observations = before.kept.verified_observations;
  const left: string[] = [];
  for (const item of before.loose) {
    if (!reachable.has(item.pointer) || (isNeeded(item, observations) && !shown.has(item.pointer)))
      lost.push(item.pointer);
    else if (!isNeeded(item, observations) && shown.has(item.pointer)) left.push(item.pointer);
  }
  for (const pointer of before.demoted) if (!reachable.has(pointer)) lost.push(pointer);
  return lost.length === 0 && left.length === 0 ? { ok: true } : { ok: false, lost, left };
}

/** An output that no verified observation has summed up is not redundant, whatever it is called. */
function isNeeded(item: LooseItem, observations: JsonObject): boolean {
  if (item.class !== 'redundant_output') return false;
  return item.summarized_by === undefined || !Object.hasOwn(observations, item.summarized_by);
}

/** A compressor may have dropped the class altogether, whatever the types say. */
function sameJson(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b));
}

/** Why the run must halt after its one pass, or null. `over` says that there is still too much; no second pass is tried. */
export function haltAfterCompression(lost: readonly string[], tokens: number, over: boolean): Stop | null {
  if (lost.length > 0) return { code: 'UNSAFE_DETECTION', reason: 'compression_unsafe', detail: { lost } };
  if (!over) return null;
  return { code: 'BUDGET_EXHAUSTED', reason: 'compression_unsafe', detail: { dimension: 'context_tokens', tokens } };
}
