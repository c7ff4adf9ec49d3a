import { canonicalize } from '../../model/canonical.ts';
import { needOf, type ToolSpec } from '../../model/tool.ts';

/** What a model has to know of a tool to plan with it. Descriptions nobody vouches for were withheld before. */
export function toolGuide(spec: ToolSpec): string {
  const lines = [
    `## ${spec.name}`,
    canonicalize(spec.description),
    `Takes: ${canonicalize(spec.input_schema)}`,
    `Returns: ${canonicalize(spec.output_schema)}`,
    ...(spec.produces.length === 0 ? [] : [`Supplies evidence: ${spec.produces.join(', ')}`]),
    ...(spec.needs.length === 0 ? [] : [`Needs context: ${spec.needs.map(needOf).join(', ')}`]),
    `Approval: ${approvalOf(spec)}`,
    ...(spec.examples ?? []).map(({ use, params }) => `Example, ${canonicalize(use)}: ${canonicalize(params)}`),
  ];
  return lines.join('\n');
}

function approvalOf({ approval_mode, gates }: ToolSpec): string {
  return gates.length === 0 ? approval_mode : `${approval_mode}, gates ${gates.join(', ')}`;
}
