import { contextPointer, REFLECTION_POINTER, type RunState } from '../../kernel/index.ts';
import type { PlanReason } from '../../model/events/effect.ts';
import type { ContextItem } from '../../model/evidence/context.ts';
import { bareSchema } from '../../model/json/bare-schema.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/** The visible items without those that a compression left out; the trace still has them. */
export function shownItems({ planning }: RunState, visible: readonly ContextItem[]): readonly ContextItem[] {
  const { compressed } = planning;
  if (compressed === undefined || compressed.demoted.length === 0) return visible;
  const gone = new Set(compressed.demoted);
  return visible.filter(({ key }) => !gone.has(contextPointer(key)));
}

export function shownReason({ planning }: RunState, reason: PlanReason | null): PlanReason | null {
  if (reason === null || planning.compressed?.demoted.includes(REFLECTION_POINTER) !== true) return reason;
  const { reflection: _, ...detail } = reason.detail;
  return { ...reason, detail };
}

/** Replaces a description that the host has not vouched for. */
const WITHHELD = 'An imported tool. What it says of itself is withheld, because nobody here vouches for it.';

/**
 * A tool as planners see it. The descriptions of an imported tool are untrusted text, which a planning model would read
 * before the first call. They are withheld unless the host vouches for them; the tool can still be planned by its name
 * and its schemas.
 */
export function shownToPlanner(spec: ToolSpec): ToolSpec {
  if (spec.source === undefined || spec.trusted || spec.vouched === 'all') return spec;
  const { examples: _withheld, ...shown } = spec;
  return {
    ...shown,
    description: spec.vouched === 'description' ? spec.description : WITHHELD,
    input_schema: bareSchema(spec.input_schema),
    output_schema: bareSchema(spec.output_schema),
  };
}
