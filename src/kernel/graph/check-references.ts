import { edgeLabel, type GraphDiagnostic } from './diagnostic.ts';
import { type Layout, reach } from './layout.ts';

/** Every name in the graph means exactly one thing that exists, and every node can be entered. */
export function checkReferences(layout: Layout): readonly GraphDiagnostic[] {
  return [...duplicateNodes(layout), ...entry(layout), ...edges(layout), ...unreachable(layout)];
}

function duplicateNodes({ draft }: Layout): readonly GraphDiagnostic[] {
  const seen = new Set<string>();
  return draft.nodes.flatMap(({ id }) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ check: 'reference', node: id, message: `two nodes are called ${id}` }];
  });
}

function entry({ draft, numberOf }: Layout): readonly GraphDiagnostic[] {
  if (numberOf.has(draft.entry)) return [];
  return [{ check: 'reference', node: draft.entry, message: `the entry ${draft.entry} is not a node of the graph` }];
}

function edges({ draft, numberOf }: Layout): readonly GraphDiagnostic[] {
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

/** A node nobody can enter is either a mistake or a hiding place. */
function unreachable(layout: Layout): readonly GraphDiagnostic[] {
  const start = layout.numberOf.get(layout.draft.entry);
  if (start === undefined) return [];
  const reached = reach(layout, [start], 'along');
  return layout.nodes.flatMap(({ id }, index) =>
    reached[index] === true
      ? []
      : [{ check: 'reference', node: id, message: `${id} cannot be reached from ${layout.draft.entry}` }],
  );
}
