import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { DependencyGraph } from '../state/dependency-graph.ts';
import { type AncestryQuestion, answerAncestry } from './ancestry.ts';
import { stepProblem } from './step-rules.ts';
import type { CommittedStep, Lookup } from './verify-context.ts';

/** The source of a bound value; `output` is null if the source's tool is unknown. */
export type FoundSource =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'found'; readonly output: JsonObject | null; readonly tool: string };

/** Looks up the sources of bindings and records each use, so that the order of all uses is checked together. */
export interface BindingSources {
  find(from: string, user: number, path: string): FoundSource;
  /** Like `find`, for a use after all steps. */
  atEnd(from: string): FoundSource;
  /** Uses of steps on which the using step does not depend. */
  outOfOrder(): readonly Problem[];
}

interface Use extends AncestryQuestion {
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
  const atEnd = (from: string): FoundSource => {
    // A step of this plan hides a committed one with the same id, because it will run under that id.
    const source = graph.indexOf.get(from);
    if (source !== undefined) {
      return { kind: 'found', output: specs[source]?.output_schema ?? null, tool: steps[source]?.tool ?? '' };
    }
    const done = committed.get(from);
    if (done === undefined) return { kind: 'unknown' };
    return done.stale === true ? { kind: 'stale' } : { kind: 'found', output: done.output, tool: done.step.tool };
  };
  return {
    atEnd,
    find(from, user, path) {
      const source = graph.indexOf.get(from);
      if (source === undefined) return atEnd(from);
      if (asking.user !== user) asking = { user, waitsFor: new Set(graph.dependencies[user]) };
      if (!asking.waitsFor.has(source)) {
        const group = groupOf.get(source) ?? groups.push([source]) - 1;
        groupOf.set(source, group);
        uses.push({ group, step: user, source, path });
      }
      return atEnd(from);
    },
    outOfOrder() {
      const answers = answerAncestry(graph, groups, uses);
      return uses.flatMap((use, index) => {
        // Steps in or behind a cycle have no order; the cycle is reported instead.
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
