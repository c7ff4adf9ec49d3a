import { OUTCOME_CLASSES, type OutcomeClass, type OutcomePath } from '../../model/plan/graph.ts';
import { edgeLabel, type GraphDiagnostic } from './diagnostic.ts';
import { findReachable, type Layout } from './layout.ts';

/** Checks that every name in the graph refers to exactly one existing thing and that every node is reachable. */
export function checkReferences(layout: Layout): readonly GraphDiagnostic[] {
  return [...findDuplicateNodes(layout), ...checkEntry(layout), ...checkEdges(layout), ...findUnreachable(layout)];
}

function findDuplicateNodes({ draft }: Layout): readonly GraphDiagnostic[] {
  const seen = new Set<string>();
  return draft.nodes.flatMap(({ id }) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ check: 'reference', node: id, message: `two nodes are called ${id}` }];
  });
}

function checkEntry({ draft, numberOf }: Layout): readonly GraphDiagnostic[] {
  if (numberOf.has(draft.entry)) return [];
  return [{ check: 'reference', node: draft.entry, message: `the entry ${draft.entry} is not a node of the graph` }];
}

function checkEdges({ draft, numberOf }: Layout): readonly GraphDiagnostic[] {
  const seen = new Set<string>();
  return draft.edges.flatMap((edge): readonly GraphDiagnostic[] => {
    const label = edgeLabel(edge);
    const missing = [edge.from, edge.to].filter((id) => !numberOf.has(id));
    if (missing.length > 0) {
      return [
        { check: 'reference', edge: label, message: `${label} names ${missing.join(' and ')}, which does not exist` },
      ];
    }
    const key = `${label} ${edge.guard ?? ''}`;
    if (seen.has(key)) return [{ check: 'reference', edge: label, message: `${label} is there twice under one guard` }];
    seen.add(key);
    return [];
  });
}

/** An unreachable node is a mistake or hides something. */
function findUnreachable(layout: Layout): readonly GraphDiagnostic[] {
  const start = layout.numberOf.get(layout.draft.entry);
  if (start === undefined) return [];
  const reached = findReachable(layout, [start], 'along');
  return layout.nodes.flatMap(({ id }, index) =>
    reached[index] === true
      ? []
      : [{ check: 'reference', node: id, message: `${id} cannot be reached from ${layout.draft.entry}` }],
  );
}

/** Outcomes that can happen at any node, so every node that is not terminal needs an edge for them. */
const INTERRUPTS: ReadonlySet<OutcomeClass> = new Set<OutcomeClass>(['failure', 'cancellation', 'budget_exhaustion']);

/** Checks that every outcome has an explicit path. Check 5 verifies that the paths reach a terminal node. */
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
    const usable = path !== undefined && INTERRUPTS.has(outcome) && carried.has(`${path.guard} ${path.to}`);
    return usable ? [{ outcome, path }] : [];
  });
  return [...undeclared, ...pathless, ...findMissingEdges(layout, anywhere, sources)];
}

/** One diagnostic per node, with all outcomes that have no edge there. */
function findMissingEdges(
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
