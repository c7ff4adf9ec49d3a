import type { Problem } from '../../../model/json/problem.ts';
import { type AncestryQuestion, answerAncestry } from '../ancestry.ts';
import { decisionsByTool, stepProblem } from '../step-rules.ts';
import type { Subject } from '../subject.ts';

/** A checkpoint follows a step of this plan and names a decision of the catalog. */
export function checkCheckpoints({ plan, graph, context }: Subject): readonly Problem[] {
  return plan.decision_checkpoints.flatMap(({ decision_id, after_step }, place) => {
    const problems: Problem[] = [];
    const path = `/decision_checkpoints/${place}`;
    if (!graph.indexOf.has(after_step)) {
      const message = `checkpoint of ${decision_id}: there is no step ${after_step} in the plan`;
      problems.push({ code: 'unknown_checkpoint_step', path: `${path}/after_step`, message });
    }
    if (!context.catalog.has(decision_id)) {
      const known = [...context.catalog.keys()];
      const message = `no such decision: ${decision_id}. The catalogue has: ${known.join(', ') || 'none'}`;
      problems.push({ code: 'decision_unknown', path: `${path}/decision_id`, message, detail: { decision_id } });
    }
    return problems;
  });
}

/** An action of a decision runs only behind a checkpoint of that decision, in this plan or earlier in the run. */
export function checkDecisionBinding(subject: Subject): readonly Problem[] {
  const { plan, graph, specs, context } = subject;
  const governing = decisionsByTool(context.catalog);
  if (governing.size === 0) return [];
  const groupOf = new Map<string, number>();
  const groups = groupByDecision(subject, groupOf);
  const problems: Problem[] = [];
  const questions: (AncestryQuestion & { readonly decision: string })[] = [];
  const unbound = (index: number, decision: string, why: string): void => {
    const step = plan.steps[index];
    if (step === undefined) return;
    const message = `${step.tool} is bound to the decision ${decision} and ${why}`;
    problems.push(stepProblem({ step, index }, 'decision_unbound', '/depends_on', message, { decision_id: decision }));
  };
  specs.forEach((spec, index) => {
    for (const { decision_id: decision } of (spec && governing.get(spec.name)) ?? []) {
      if (context.known.decided.has(decision)) continue;
      const group = groupOf.get(decision);
      if (group === undefined) unbound(index, decision, 'the plan has no checkpoint of it');
      else if ((graph.rank[index] ?? -1) >= 0) questions.push({ group, step: index, decision });
    }
  });
  answerAncestry(graph, groups, questions).forEach((answer, place) => {
    const question = questions[place];
    if (!answer && question !== undefined)
      unbound(question.step, question.decision, 'does not depend on the step of its checkpoint');
  });
  return problems;
}

/** Every action of a decision names the decision's gates, even if its tool has none. */
export function checkDecisionApprovals({ plan, specs, context }: Subject): readonly Problem[] {
  const governing = decisionsByTool(context.catalog);
  if (governing.size === 0) return [];
  return plan.steps.flatMap((step, index) => {
    const spec = specs[index];
    if (spec === undefined) return [];
    const named = new Set([...spec.gates, ...(step.requires ?? [])]);
    return (governing.get(spec.name) ?? []).flatMap(({ decision_id, approvals }) => {
      const missing = approvals.filter((gate) => !named.has(gate));
      if (missing.length === 0) return [];
      const message = `the decision ${decision_id} asks for gates that requires must name: ${missing.join(', ')}`;
      return [stepProblem({ step, index }, 'approval_missing', '/requires', message, { decision_id, missing })];
    });
  });
}

/** The steps before each decision's checkpoints, as groups for `answerAncestry`. */
function groupByDecision({ plan, graph }: Subject, groupOf: Map<string, number>): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const { decision_id, after_step } of plan.decision_checkpoints) {
    const index = graph.indexOf.get(after_step);
    if (index === undefined) continue;
    const group = groupOf.get(decision_id) ?? groups.push([]) - 1;
    groupOf.set(decision_id, group);
    groups[group]?.push(index);
  }
  return groups;
}
