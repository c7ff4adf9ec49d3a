import { OUTCOME_CLASSES, type OutcomeClass, type OutcomePath } from '../../model/graph.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import type { Layout } from './layout.ts';

/** A run can fail, be cancelled or run out anywhere, so these need an edge from every node that is not terminal. */
const ANYWHERE: ReadonlySet<OutcomeClass> = new Set<OutcomeClass>(['failure', 'cancellation', 'budget_exhaustion']);

/** Every way a run can end has an explicit path. That the paths reach a terminal node is check 5. */
export function checkOutcomes(layout: Layout): readonly GraphDiagnostic[] {
  const { outcomes, edges } = layout.draft;
  const undeclared = OUTCOME_CLASSES.filter((outcome) => outcomes[outcome] === undefined).map(
    (outcome): GraphDiagnostic => ({ check: 'outcome', message: `${outcome} has no terminal path` }),
  );
  const carried = new Set(edges.map((edge) => `${edge.guard ?? ''} ${edge.to}`));
  const sources = new Set(edges.map((edge) => `${edge.from} ${edge.guard ?? ''} ${edge.to}`));
  const pathless = OUTCOME_CLASSES.flatMap((outcome): readonly GraphDiagnostic[] => {
    const path = outcomes[outcome];
    if (path === undefined || carried.has(`${path.guard} ${path.to}`)) return [];
    const message = `${outcome} has no terminal path: no edge under ${path.guard} leads to ${path.to}`;
    return [{ check: 'outcome', node: path.to, message }];
  });
  const anywhere = OUTCOME_CLASSES.flatMap((outcome) => {
    const path = outcomes[outcome];
    const usable = path !== undefined && ANYWHERE.has(outcome) && carried.has(`${path.guard} ${path.to}`);
    return usable ? [{ outcome, path }] : [];
  });
  return [...undeclared, ...pathless, ...gaps(layout, anywhere, sources)];
}

/** One message per node, naming every outcome that has no way out of it. */
function gaps(
  { nodes }: Layout,
  anywhere: readonly { readonly outcome: OutcomeClass; readonly path: OutcomePath }[],
  sources: ReadonlySet<string>,
): readonly GraphDiagnostic[] {
  return nodes.flatMap(({ id, terminal }): readonly GraphDiagnostic[] => {
    if (terminal === true) return [];
    const stuck = anywhere.filter(({ path }) => id !== path.to && !sources.has(`${id} ${path.guard} ${path.to}`));
    if (stuck.length === 0) return [];
    const classes = stuck.map(({ outcome }) => outcome).join(', ');
    return [{ check: 'outcome', node: id, message: `${id} has no edge for ${classes}` }];
  });
}
