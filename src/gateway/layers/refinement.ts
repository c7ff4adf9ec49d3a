import type { Tools } from '../../ports/tools.ts';
import { type Layer, PASS, refusal } from './layer.ts';

/** What the schema of a tool asks for beyond JSON Schema. It is code of the tool, so its word is recorded, not derived. */
export function refinementLayer(tools: Tools): Layer {
  return ({ spec, args }) => {
    const problems = tools.problems?.(spec.name, args) ?? [];
    if (problems.length === 0) return PASS;
    const message = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
    return refusal('schema', 'argument_invalid', message);
  };
}
