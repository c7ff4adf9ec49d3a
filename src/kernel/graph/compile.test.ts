/** Proves what compilation guarantees: it reports all problems at once, and a compiled graph never changes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../test/graph/fault-of.ts';
import { grown, hash, holding, SMALLEST, TOGGLES, togglesFor } from '../../../test/graph/toggles.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { GraphDraft } from '../../model/plan/graph.ts';
import { assertCompiled, compile, diagnoseGraph, isCompiled } from './compile.ts';
import { toMermaid } from './mermaid.ts';
import { PLAN_FIRST, STANDARD_GRAPHS } from './standard-graphs.ts';

function ending(attempt: () => unknown): 'compiled' | 'refused' | 'broke' {
  try {
    attempt();
    return 'compiled';
  } catch (error) {
    return Fault.is(error) ? 'refused' : 'broke';
  }
}

const compiled = compile(PLAN_FIRST, TOGGLES, hash);

describe('refusal', () => {
  test('reports three defects as three diagnostics in one Fault', () => {
    const draft: GraphDraft = {
      ...grown(
        [
          { id: 'stuck', role: 'plan' },
          { id: 'call', role: 'tool_invocation', tool: { permission: 'p', schema: 's', budget: 'b', timeout: 't' } },
          { id: 'spin', role: 'repair' },
        ],
        [
          ['take_in', 'stuck'],
          ['take_in', 'call'],
          ['call', 'spin'],
          ['spin', 'spin'],
          ['spin', 'answer'],
        ],
      ),
    };
    expect(diagnoseGraph(deepFreeze(draft), TOGGLES).map(({ check, node }) => [check, node])).toEqual([
      [1, 'stuck'],
      [2, 'spin'],
      [4, 'call'],
    ]);
    const fault = faultOf(() => compile(draft, TOGGLES, hash));
    expect(fault.code).toBe('graph_invalid');
    expect(fault.message).toContain('3 problems');
    expect(fault.message).toContain('[1] stuck is not terminal');
    expect(fault.message).toContain('[2] spin -> spin');
    expect(fault.message).toContain('[4] call reaches tools but has no observation_verification rule');
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['text', 'graph'],
    ['a list', []],
    ['a class instance', new Map()],
    ['an unknown field', { ...SMALLEST, extra: 1 }],
    ['a tier off the ladder', { ...SMALLEST, tier: 8 }],
    ['a name with a control character', { ...SMALLEST, name: 'a\u0000b' }],
    ['a node id with a line break', { ...SMALLEST, nodes: [{ id: 'a\nb', role: 'plan' }] }],
    ['a role nobody has', { ...SMALLEST, nodes: [{ id: 'a', role: 'wander' }] }],
    ['a prototype key', JSON.parse('{"__proto__": {"nodes": []}}')],
    ['a bound of zero', grown([{ id: 'a', role: 'plan', bound: { kind: 'retry_limit', max: 0 } }], [])],
    ['a bound that is no number', { ...SMALLEST, tier: Number.NaN }],
  ])('rejects %s with a Fault', (_name, spec) => {
    expect(Fault.is(faultOf(() => compile(spec, TOGGLES, hash)))).toBe(true);
  });

  test('throws only Faults, for any input', () => {
    fc.assert(
      fc.property(fc.anything({ withMap: true, withSet: true, withDate: true, withNullPrototype: true }), (junk) => {
        expect(Fault.is(faultOf(() => compile(junk, TOGGLES, hash)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('a valid graph with one arbitrary value compiles or is rejected with a Fault', () => {
    const places: readonly (keyof GraphDraft)[] = ['name', 'tier', 'entry', 'nodes', 'edges', 'guards', 'outcomes'];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.nat(), fc.anything(), (place, at, junk) => {
        const value = PLAN_FIRST[place];
        const spoilt = Array.isArray(value) ? value.with(at % value.length, junk) : junk;
        const spec = { ...PLAN_FIRST, [place]: spoilt };
        expect(['compiled', 'refused']).toContain(ending(() => compile(spec, TOGGLES, hash)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('isCompiled', () => {
  test('is false for a spec, a copy and a derived object', () => {
    expect(isCompiled(compiled)).toBe(true);
    for (const other of [PLAN_FIRST, compiled.spec, { ...compiled }, Object.create(compiled), null, 'plan_first']) {
      expect(isCompiled(other)).toBe(false);
      expect(faultOf(() => assertCompiled(other)).code).toBe('graph_not_compiled');
    }
    expect(() => assertCompiled(compiled)).not.toThrow();
  });
});

describe('a compiled graph is immutable', () => {
  test('every part of it is frozen', () => {
    const node = compiled.node('tool_invocation');
    const attempts: readonly (() => unknown)[] = [
      () => Object.assign(compiled, { edge: () => () => true }),
      () => Object.assign(compiled, { hash: 'sha256:0' }),
      () => Object.assign(compiled.spec, { entry: 'terminate' }),
      () => (compiled.spec.nodes as unknown[]).push({ id: 'new', role: 'plan' }),
      () => (compiled.spec.edges as unknown[]).push({ from: 'plan', to: 'tool_invocation' }),
      () => Object.assign(compiled.spec.edges[0] ?? {}, { guard: 'plan_ok@1' }),
      () => Object.assign(node, { role: 'plan' }),
      () => Object.assign(node.tool ?? {}, { permission: 'none' }),
      () => Object.assign(compiled.spec.outcomes.success, { to: 'plan' }),
      () => (compiled.node('terminate').writes as unknown[]).pop(),
      () => Object.assign(compiled.edgeTo('plan', 'plan_validation') ?? {}, { guard: () => true }),
      () => (compiled.exits('plan') as string[]).push('tool_invocation'),
      () => (compiled.choices('plan') as string[]).push('tool_invocation'),
    ];
    const before = toMermaid(compiled.spec);
    for (const attempt of attempts) expect(attempt).toThrow(TypeError);
    expect(toMermaid(compiled.spec)).toBe(before);
    expect(compile(compiled.spec, TOGGLES, hash).hash).toBe(compiled.hash);
  });

  test('later changes of the spec and the guard table do not reach it', () => {
    const spec = structuredClone(PLAN_FIRST);
    const table = { ...TOGGLES };
    const graph = compile(spec, table, hash);
    Object.assign(spec.edges[0] ?? {}, { to: 'terminate' });
    table['plan_proposed@1'] = () => true;
    expect(graph.hash).toBe(compiled.hash);
    expect(graph.edge('plan', 'plan_validation')?.(holding())).toBe(false);
  });

  test.each(Object.values(STANDARD_GRAPHS))(
    'the role lookups of $name agree with its edges and retry limits',
    (spec) => {
      const graph = compile(spec, TOGGLES, hash);
      for (const { id: from } of spec.nodes) {
        for (const { role } of spec.nodes) {
          const to = graph.idOf(role) ?? '';
          const guard = graph.edge(from, to);
          const { bound } = graph.node(to);
          const limited = bound?.kind === 'retry_limit' && role !== 'ask_user';
          const visitsMax = limited ? bound.max : Number.POSITIVE_INFINITY;
          expect(graph.edgeTo(from, role)).toEqual(guard === null ? null : { to, guard, visitsMax });
        }
        expect(graph.edgeTo('constructor', 'terminate')).toBeNull();
      }
    },
  );

  test('compilation does not change its input', () => {
    expect(() => compile(deepFreeze(structuredClone(PLAN_FIRST)), TOGGLES, hash)).not.toThrow();
  });
});

describe('graph hash', () => {
  const anyGraph = fc.constantFrom(...Object.values(STANDARD_GRAPHS));

  test('hash, exits and drawing do not depend on the order of nodes, edges and guards', () => {
    fc.assert(
      fc.property(
        anyGraph.chain((graph) =>
          fc.record({
            graph: fc.constant(graph),
            nodes: fc.shuffledSubarray([...graph.nodes], { minLength: graph.nodes.length }),
            edges: fc.shuffledSubarray([...graph.edges], { minLength: graph.edges.length }),
            guards: fc.shuffledSubarray([...graph.guards], { minLength: graph.guards.length }),
          }),
        ),
        ({ graph, nodes, edges, guards }) => {
          const shuffled = compile({ ...graph, nodes, edges, guards }, TOGGLES, hash);
          const straight = compile(graph, TOGGLES, hash);
          expect(shuffled.hash).toBe(straight.hash);
          expect(shuffled.spec).toEqual(straight.spec);
          expect(toMermaid({ ...graph, nodes, edges, guards })).toBe(toMermaid(graph));
          for (const { id } of nodes) expect(shuffled.exits(id)).toEqual(straight.exits(id));
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each(Object.values(STANDARD_GRAPHS))('another version of any guard changes the hash of $name', (graph) => {
    const before = compile(graph, TOGGLES, hash).hash;
    for (const { guard } of graph.guards) {
      const next = guard.replace(/@1$/, '@2');
      const spec = JSON.parse(JSON.stringify(graph).replaceAll(`"${guard}"`, `"${next}"`));
      expect(compile(spec, { ...TOGGLES, ...togglesFor([next]) }, hash).hash).not.toBe(before);
    }
  });

  test('no two standard graphs share a hash', () => {
    const hashes = Object.values(STANDARD_GRAPHS).map((graph) => compile(graph, TOGGLES, hash).hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const address of hashes) expect(address).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('size', () => {
  const count = 10_000;
  const chain = (closed: boolean): GraphDraft => {
    const nodes = Array.from({ length: count }, (_, at) => ({ id: `n${at}`, role: 'plan' as const }));
    const along = nodes.slice(1).map(({ id }, at) => [`n${at}`, id] as const);
    const last = `n${count - 1}`;
    return grown(nodes, [['take_in', 'n0'], ...along, [last, 'answer'], ...(closed ? [[last, 'n0'] as const] : [])]);
  };

  test('compiles a chain of 10,000 nodes without a stack overflow', () => {
    const graph = compile(chain(false), TOGGLES, hash);
    expect(graph.exits('n9998')).toEqual(['end', 'n9999']);
  });

  test('reports a cycle of 10,000 nodes', () => {
    const found = diagnoseGraph(chain(true), TOGGLES);
    expect(found).toHaveLength(1);
    expect(found[0]?.message.split(' -> ')).toHaveLength(count + 1);
  });
});

describe('lookups', () => {
  test('two edges between the same nodes open if either guard holds', () => {
    const edge = compiled.edge('finalize', 'terminate');
    expect(edge?.(holding())).toBe(false);
    expect(edge?.(holding('response_fixed@1'))).toBe(true);
    expect(edge?.(holding('stop_pending@1'))).toBe(true);
  });

  test('repeated lookups return the same object and allocate nothing', () => {
    expect(compiled.edge('finalize', 'terminate')).toBe(compiled.edge('finalize', 'terminate'));
    expect(compiled.exits('plan')).toBe(compiled.exits('plan'));
    expect(compiled.exits('nowhere')).toBe(compiled.exits('elsewhere'));
  });

  test('finds nodes by id and by role', () => {
    expect(compiled.node('plan').role).toBe('plan');
    expect(compiled.idOf('human_approval')).toBe('human_approval');
    expect(compile(SMALLEST, TOGGLES, hash).idOf('finalize')).toBe('answer');
    expect(compile(SMALLEST, TOGGLES, hash).idOf('plan')).toBeNull();
    expect(faultOf(() => compiled.node('nowhere')).message).toContain('nowhere');
  });
});
