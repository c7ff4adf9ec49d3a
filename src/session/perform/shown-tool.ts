import { bareSchema } from '../../model/json/bare-schema.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

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
