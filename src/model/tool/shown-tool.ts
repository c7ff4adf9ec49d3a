import { bareSchema } from '../json/bare-schema.ts';
import type { ToolSpec } from './tool.ts';

/** Replaces a description that the host has not vouched for. */
const WITHHELD = 'An imported tool. What it says of itself is withheld, because nobody here vouches for it.';

/**
 * A tool as models see it: planners of this host, and MCP clients that it is served to. The descriptions of an imported
 * tool are untrusted text, which a model would read before the first call. They are withheld unless the host vouches for
 * them; the tool can still be called by its name and its schemas.
 */
export function shownTool(spec: ToolSpec): ToolSpec {
  if (spec.source === undefined || spec.trusted || spec.vouched === 'all') return spec;
  const { examples: _withheld, ...shown } = spec;
  return {
    ...shown,
    description: spec.vouched === 'description' ? spec.description : WITHHELD,
    input_schema: bareSchema(spec.input_schema),
    output_schema: bareSchema(spec.output_schema),
  };
}
