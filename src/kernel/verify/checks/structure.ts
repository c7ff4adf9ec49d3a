import type { Problem } from '../../../model/json/problem.ts';
import { findCycles } from '../../state/dependency-graph.ts';
import { stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

export function checkIds({ plan, graph }: Subject): readonly Problem[] {
  return graph.repeated.flatMap((index) => {
    const step = plan.steps[index];
    if (step === undefined) return [];
    const first = graph.indexOf.get(step.id);
    return [stepProblem({ step, index }, 'duplicate_step_id', '/id', `step ${first} of the plan has this id already`)];
  });
}

export function checkDependencies({ plan, graph }: Subject): readonly Problem[] {
  return graph.dangling.flatMap(({ node: index, at }) => {
    const step = plan.steps[index];
    const missing = step?.depends_on?.[at];
    if (step === undefined || missing === undefined) return [];
    const message = `depends on ${missing}, which is not in the plan`;
    return [stepProblem({ step, index }, 'unknown_dependency', `/depends_on/${at}`, message, { missing })];
  });
}

export function checkAcyclic({ plan, graph }: Subject): readonly Problem[] {
  return findCycles(graph).flatMap((circle) => {
    const [first] = circle;
    const ids = circle.map((index) => plan.steps[index]?.id ?? '');
    const step = plan.steps[first ?? -1];
    if (step === undefined || first === undefined) return [];
    const message = `waits for itself: ${[...ids, step.id].join(' → ')}`;
    return [stepProblem({ step, index: first }, 'dependency_cycle', '/depends_on', message, { steps: ids })];
  });
}
