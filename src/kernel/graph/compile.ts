import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { address, type Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { parse } from '../../model/json/parse.ts';
import { GraphDraft, type GraphSpec } from '../../model/plan/graph.ts';
import { checkCycles } from './check-cycles.ts';
import { checkGuards } from './check-guards.ts';
import { checkOutcomes, checkReferences } from './check-references.ts';
import { checkExits, checkTerminals, checkToolNodes, checkTraps } from './check-structure.ts';
import { checkTier } from './check-tier.ts';
import { buildCompiledGraph, type CompiledGraph, type GuardTable, suppliedGuard } from './compiled-graph.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import { buildLayout } from './layout.ts';

/** Sorts a graph, so that its hash, diagnostics and drawing do not depend on the order in which it was written. */
function normalize(draft: GraphDraft): GraphDraft {
  return {
    ...draft,
    nodes: sorted(draft.nodes, (node) => node.id).map((node) =>
      node.writes === undefined ? node : { ...node, writes: sorted(node.writes, (write) => write) },
    ),
    edges: sorted(draft.edges, ({ from, to, guard = '', owner }) => `${from} ${to} ${guard} ${owner}`),
    guards: sorted(draft.guards, (declaration) => declaration.guard),
  };
}

/** Sorts by UTF-16 code units, independent of the locale. */
function sorted<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return items
    .map((item) => ({ item, by: key(item) }))
    .sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0))
    .map(({ item }) => item);
}

export type { CompiledGraph, GuardTable } from './compiled-graph.ts';
export type { GraphDiagnostic } from './diagnostic.ts';

/** All objects that `compile` returned. A mark on the object itself would be copied with it. */
const compiled = new WeakSet<object>();

/** Parses, checks and freezes a graph. One Fault reports all problems. */
export function compile<S>(spec: unknown, guards: GuardTable<S>, hash: Hash): CompiledGraph<S> {
  const draft = normalize(parse(GraphDraft, spec, 'graph_invalid'));
  const diagnostics = diagnoseGraph(draft, guards);
  if (diagnostics.length > 0) throw refusal(draft.name, diagnostics);
  // Without diagnostics every edge has a guard and every outcome a path, so the draft is a spec.
  const proven = deepFreeze(draft as GraphSpec);
  const graph = buildCompiledGraph(proven, address(hash, proven as unknown as Json), guards);
  compiled.add(graph);
  return graph;
}

/** Returns all problems of a graph, in the order of the checks. A graph without problems compiles. */
export function diagnoseGraph<S>(spec: GraphDraft, guards: GuardTable<S>): readonly GraphDiagnostic[] {
  const layout = buildLayout(spec);
  return [
    ...checkReferences(layout),
    ...checkExits(layout),
    ...checkCycles(layout),
    ...checkGuards(layout, (guard) => suppliedGuard(guards, guard) !== null),
    ...checkToolNodes(layout),
    ...checkTraps(layout),
    ...checkTerminals(layout),
    ...checkOutcomes(layout),
    ...checkTier(layout),
  ];
}

/** True only for an object that `compile` returned, not for a copy or a derived object. */
export function isCompiled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && compiled.has(value);
}

export function assertCompiled(value: unknown): void {
  if (!isCompiled(value)) throw new Fault('graph_not_compiled', 'a run needs a graph that compile() returned');
}

function refusal(name: string, diagnostics: readonly GraphDiagnostic[]): Fault {
  const lines = diagnostics.map(({ check, message }) => `\n  [${check}] ${message}`);
  const problems = diagnostics.length === 1 ? '1 problem' : `${diagnostics.length} problems`;
  return new Fault('graph_invalid', `the graph ${name} does not compile, ${problems}:${lines.join('')}`);
}
