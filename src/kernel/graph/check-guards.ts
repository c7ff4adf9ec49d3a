import type { EdgeDraft, GuardDeclaration } from '../../model/plan/graph.ts';
import { edgeLabel, type GraphDiagnostic } from './diagnostic.ts';
import { isGuardName } from './guard-names.ts';
import type { Layout } from './layout.ts';

/** Check 3: every edge has a guard that is declared deterministic, evaluated by the kernel, and supplied. */
export function checkGuards({ draft }: Layout, isSupplied: (guard: string) => boolean): readonly GraphDiagnostic[] {
  const declared = new Map<string, GuardDeclaration>();
  const duplicates: GraphDiagnostic[] = [];
  for (const declaration of draft.guards) {
    const { guard } = declaration;
    if (declared.has(guard)) duplicates.push({ check: 'reference', message: `the guard ${guard} is declared twice` });
    else declared.set(guard, declaration);
  }
  const edges = draft.edges.flatMap((edge): readonly GraphDiagnostic[] => {
    const why = findGuardProblem(edge, declared, isSupplied);
    if (why === null) return [];
    const label = edgeLabel(edge);
    return [{ check: 3, edge: label, message: `${label} ${why}` }];
  });
  return [...duplicates, ...edges];
}

function findGuardProblem(
  { guard }: EdgeDraft,
  declared: ReadonlyMap<string, GuardDeclaration>,
  isSupplied: (guard: string) => boolean,
): string | null {
  if (guard === undefined) return 'has no guard';
  if (!isGuardName(guard)) return `has the guard ${guard}, which is not written as name@version`;
  const declaration = declared.get(guard);
  if (declaration === undefined) return `has the guard ${guard}, which the graph does not declare`;
  if (!declaration.deterministic) return `has the guard ${guard}, which is declared nondeterministic`;
  if (declaration.evaluated_by === 'model')
    return `has the guard ${guard}, which is declared to be evaluated by a model`;
  return isSupplied(guard) ? null : `has the guard ${guard}, which is not supplied`;
}
