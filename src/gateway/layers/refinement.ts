import type { Tools } from '../../ports/bound-tool.ts';
import { type Layer, PASS, refusal } from './layer.ts';

/** Runs the tool's own refinements. They are the tool's code, so their result is recorded, not derived on replay. */
export function refinementLayer(tools: Tools): Layer {
  return ({ spec, args }) => {
    const problems = tools.problems?.(spec.name, args) ?? [];
    if (problems.length === 0) return PASS;
    const message = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
    return refusal('schema', 'argument_invalid', message);
  };
}
