import { type ActiveContext, type DroppableItem, KEPT_CLASSES } from '../../../model/evidence/compression.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { JsonObject } from '../../../model/json/json.ts';

export type CompressionRuling =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Kept classes that changed, and trace pointers that can no longer be reached. */
      readonly lost: readonly string[];
      /** Trace pointers of material that is still shown although it should be dropped. */
      readonly left: readonly string[];
    };

/** Checks the result of a compressor, usually a model. The result is used only if the ruling is ok. */
export function checkCompression(before: ActiveContext, after: ActiveContext): CompressionRuling {
  const lost: string[] = KEPT_CLASSES.filter((name) => !isUnchanged(before.kept[name], after.kept[name]));
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

/** A redundant output is still needed if no verified observation summarizes it. */
function isNeeded(item: DroppableItem, observations: JsonObject): boolean {
  if (item.class !== 'redundant_output') return false;
  return item.summarized_by === undefined || !Object.hasOwn(observations, item.summarized_by);
}

/** Despite its type, a compressor's result may lack the class. */
function isUnchanged(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b));
}

/** The stop after the single compression pass, or null. `over` means that the context is still too large. */
export function haltAfterCompression(lost: readonly string[], tokens: number, over: boolean): Stop | null {
  if (lost.length > 0) return { code: 'UNSAFE_DETECTION', reason: 'compression_unsafe', detail: { lost } };
  if (!over) return null;
  return { code: 'BUDGET_EXHAUSTED', reason: 'compression_unsafe', detail: { dimension: 'context_tokens', tokens } };
}
