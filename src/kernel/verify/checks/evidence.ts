import type { Problem } from '../../../model/json/problem.ts';
import { type AncestryQuestion, answerAncestry } from '../ancestry.ts';
import type { Subject } from '../subject.ts';

/** A type of evidence that a checkpoint demands and the run does not have yet. */
interface Demand {
  readonly type: string;
  readonly decision: string;
  readonly after: number;
  readonly path: string;
}

/** The evidence of each decision comes from a context item or from a step that runs no later than its checkpoint. */
export function checkEvidence(subject: Subject): readonly Problem[] {
  const asked = findDemands(subject);
  if (asked.length === 0) return [];
  const { graph } = subject;
  const firstRank = new Map<string, number>();
  for (const node of graph.order) {
    for (const type of subject.specs[node]?.produces ?? []) {
      if (!firstRank.has(type)) firstRank.set(type, graph.rank[node] ?? -1);
    }
  }
  return asked.flatMap((demand) => {
    const supplied = firstRank.get(demand.type);
    return supplied !== undefined && supplied <= (graph.rank[demand.after] ?? -1)
      ? []
      : [missingEvidence(demand, 'nothing in the context and no step up to the checkpoint supplies it')];
  });
}

/**
 * The stricter rule for high risk: evidence comes from a step on which the checkpoint's step depends, because a step
 * that only happens to run earlier may fail or be skipped.
 */
export function checkEvidenceChain(subject: Subject): readonly Problem[] {
  const { graph } = subject;
  const groupOf = new Map<string, number>();
  const groups: number[][] = [];
  for (const node of graph.order) {
    for (const type of subject.specs[node]?.produces ?? []) {
      const group = groupOf.get(type) ?? groups.push([]) - 1;
      groupOf.set(type, group);
      groups[group]?.push(node);
    }
  }
  const asked = findDemands(subject).flatMap((demand): (AncestryQuestion & { readonly demand: Demand })[] => {
    const group = groupOf.get(demand.type);
    const own = subject.specs[demand.after]?.produces.includes(demand.type) === true;
    return group === undefined || own ? [] : [{ group, step: demand.after, demand }];
  });
  const answers = answerAncestry(graph, groups, asked);
  return asked
    .filter((_, place) => answers[place] === false)
    .map(({ demand }) =>
      missingEvidence(demand, 'at this risk it must come from a step that the checkpoint depends on'),
    );
}

function findDemands({ plan, graph, context }: Subject): readonly Demand[] {
  return plan.decision_checkpoints.flatMap(({ decision_id: decision, after_step }, place) => {
    const after = graph.indexOf.get(after_step);
    if (after === undefined || (graph.rank[after] ?? -1) < 0) return [];
    const demanded = context.catalog.get(decision)?.evidence ?? [];
    const path = `/decision_checkpoints/${place}`;
    return demanded
      .filter((type) => !context.known.evidence.has(type))
      .map((type) => ({ type, decision, after, path }));
  });
}

function missingEvidence({ type, decision, path }: Demand, why: string): Problem {
  const message = `the decision ${decision} needs evidence of type ${type}: ${why}`;
  return { code: 'evidence_missing', path, message, detail: { decision_id: decision, type } };
}
