import type { JsonObject } from '../../model/json.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { answerAncestry, type Question } from './ancestry.ts';
import type { DependencyGraph } from './dependency-graph.ts';
import { stepProblem } from './step-problem.ts';
import type { CommittedStep, Lookup } from './verify-context.ts';

/** Who supplies a bound value; `output` is null where the supplier's tool does not exist. */
export type FoundSource =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'found'; readonly output: JsonObject | null };

/**
 * Looks up what bindings name, and remembers every use of a step of this plan, because whether its value will be there
 * in time is asked for all bindings together.
 */
export interface BindingSources {
  find(from: string, user: number, path: string): FoundSource;
  /** Uses of steps that the user does not wait for. */
  outOfOrder(): readonly Problem[];
}

interface Use extends Question {
  readonly source: number;
  readonly path: string;
}

export function bindingSources(
  steps: readonly PlanStep[],
  graph: DependencyGraph,
  specs: readonly (ToolSpec | undefined)[],
  committed: Lookup<CommittedStep>,
): BindingSources {
  const groups: number[][] = [];
  const groupOf = new Map<number, number>();
  const uses: Use[] = [];
  let asking = { user: -1, waitsFor: new Set<number>() };
  return {
    find(from, user, path) {
      // The plan's own step hides a committed one of the same id: it is what will run under that name.
      const source = graph.indexOf.get(from);
      if (source === undefined) {
        const done = committed.get(from);
        if (done === undefined) return { kind: 'unknown' };
        return done.stale === true ? { kind: 'stale' } : { kind: 'found', output: done.output };
      }
      if (asking.user !== user) asking = { user, waitsFor: new Set(graph.dependencies[user]) };
      if (!asking.waitsFor.has(source)) {
        const group = groupOf.get(source) ?? groups.push([source]) - 1;
        groupOf.set(source, group);
        uses.push({ group, step: user, source, path });
      }
      return { kind: 'found', output: specs[source]?.output_schema ?? null };
    },
    outOfOrder() {
      const answers = answerAncestry(graph, groups, uses);
      return uses.flatMap((use, index) => {
        // What stands in or behind a circle has no order to judge by; the circle is reported instead.
        const ordered = (graph.rank[use.step] ?? -1) >= 0 && (graph.rank[use.source] ?? -1) >= 0;
        return answers[index] === true || !ordered ? [] : [tooEarly(steps, use)];
      });
    },
  };
}

function tooEarly(steps: readonly PlanStep[], { source, step: user, path }: Use): Problem {
  const [from, step] = [steps[source], steps[user]];
  const id = from?.id ?? '';
  const order = source < user ? `does not wait for it` : `comes before it in the plan`;
  const message = source === user ? 'is bound to itself' : `is bound to ${id} but ${order}; add "${id}" to depends_on`;
  const below = path.slice(`/steps/${user}`.length);
  return step === undefined
    ? { code: 'binding_unresolved', path, message }
    : stepProblem({ step, index: user }, 'binding_unresolved', below, message);
}
