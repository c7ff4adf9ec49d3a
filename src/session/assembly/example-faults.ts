import type { ToolTable } from '../../kernel/verify/tool-table.ts';
import { exampleProblems } from '../../model/example-problems.ts';
import { Fault } from '../../model/fault.ts';
import { pointerToken } from '../../model/pointer.ts';

/** An example that its own tool would refuse teaches every planner to be refused. Tools from outside answer for their own. */
export function exampleFaults(tools: ToolTable): readonly Fault[] {
  return tools.specs.flatMap(({ name, examples = [], source }) => {
    if (source !== undefined) return [];
    return examples.flatMap(({ params }, place) => {
      const [problem] = exampleProblems(params, tools.checkArguments(name, tools.complete(name, params)));
      if (problem === undefined) return [];
      const path = `/tools${pointerToken(name)}/examples/${place}/params${problem.path}`;
      return [
        new Fault('input_invalid', `${path}: ${problem.message}: the tool would refuse its own example`, { path }),
      ];
    });
  });
}
