import { bareSchema } from '../model/bare-schema.ts';
import type { ToolSpec } from '../model/tool.ts';

/** Stands for a description that nobody answers for. */
const WITHHELD = 'An imported tool. What it says of itself is withheld, because nobody here vouches for it.';

/**
 * A tool as planners see it. What an imported tool says of itself was written by whoever serves it, and a model that
 * plans by it has read a stranger's text before the first call. So it is not shown unless the host vouches for it: the
 * plan stays clean, and the tool can still be planned with by its name and the shape of what it takes and gives.
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
