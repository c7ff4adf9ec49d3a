import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { GraphDraft, type GraphSpec } from '../../model/graph.ts';
import { address, type Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { parse } from '../../model/parse.ts';
import { checkCycles } from './check-cycles.ts';
import { checkTerminals, checkToolNodes } from './check-duties.ts';
import { checkExits, checkTraps } from './check-exits.ts';
import { checkGuards } from './check-guards.ts';
import { checkOutcomes } from './check-outcomes.ts';
import { checkReferences } from './check-references.ts';
import { checkTier } from './check-tier.ts';
import { type CompiledGraph, type GuardTable, lookUp, suppliedGuard } from './compiled-graph.ts';
import type { GraphDiagnostic } from './diagnostic.ts';
import { layOut } from './layout.ts';
import { normalize } from './normalize.ts';

export type { CompiledGraph, GuardTable } from './compiled-graph.ts';
export type { GraphDiagnostic } from './diagnostic.ts';

/** Which objects came out of `compile`. A mark on the object itself could be copied along with it. */
const compiled = new WeakSet<object>();

/** Parses, checks and freezes a graph. Whatever is wrong with it is said at once, in one Fault. */
export function compile<S>(spec: unknown, guards: GuardTable<S>, hash: Hash): CompiledGraph<S> {
  const draft = normalize(parse(GraphDraft, spec, 'graph_invalid'));
  const diagnostics = diagnose(draft, guards);
  if (diagnostics.length > 0) throw refusal(draft.name, diagnostics);
  // No diagnostics means that every edge has its guard and every outcome its path: the draft is a spec.
  const proven = deepFreeze(draft as GraphSpec);
  const graph = lookUp(proven, address(hash, proven as unknown as Json), guards);
  compiled.add(graph);
  return graph;
}

/** Every problem of a graph, in the order of the checks. None means that it compiles. */
export function diagnose<S>(spec: GraphDraft, guards: GuardTable<S>): readonly GraphDiagnostic[] {
  const layout = layOut(spec);
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

/** True only for what `compile` returned: a copy, a look-alike or an heir of a compiled graph is none. */
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
