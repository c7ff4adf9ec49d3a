import { expect, test } from 'vitest';
import { grown, hash, SMALLEST, TOGGLES } from '../../../test/graph/toggles.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { compile } from './compile.ts';
import { toMermaid } from './mermaid.ts';
import { STANDARD_GRAPHS } from './standard-graphs.ts';

test('draws thin, thick and dotted arrows and rounded terminal nodes, in the order of a run', () => {
  const draft = grown(
    [{ id: 'think', role: 'plan' }],
    [
      ['take_in', 'think'],
      ['think', 'answer'],
    ],
  );
  const edges = draft.edges.map((edge) =>
    edge.from === 'think' && edge.to === 'answer' ? { ...edge, owner: 'model' } : edge,
  );
  expect(toMermaid(deepFreeze(compile({ ...draft, edges }, TOGGLES, hash).spec))).toBe(`%% smallest version 1, tier 4
flowchart TD
  n0["take_in"]
  n1["answer"]
  n2["think"]
  n3(["end"])
  n0 -->|"criteria_met@1"| n1
  n0 -->|"criteria_met@1"| n2
  n1 -->|"response_fixed@1"| n3
  n2 ==>|"criteria_met@1"| n1
  n0 & n1 & n2 -.->|"stop_pending@1"| n3
  classDef terminal stroke-width:3px
  class n3 terminal
`);
});

test('draws every node and every edge of the standard graphs', () => {
  for (const spec of Object.values(STANDARD_GRAPHS)) {
    const lines = toMermaid(spec).split('\n');
    for (const { id } of spec.nodes) expect(lines.filter((line) => line.includes(`"${id}"`))).toHaveLength(1);
    const drawn = lines.flatMap((line) => {
      const [sources, , target] = line.split(/ (?:-->|==>|-\.->)\|("[^"]+")\| /);
      return target === undefined ? [] : (sources ?? '').split(' & ');
    });
    expect(drawn).toHaveLength(spec.edges.length);
  }
});

test('uses Mermaid keywords in node names only as labels', () => {
  const draft = grown(
    [{ id: 'end/subgraph', role: 'plan' }],
    [
      ['take_in', 'end/subgraph'],
      ['end/subgraph', 'answer'],
    ],
  );
  const text = toMermaid(compile(draft, TOGGLES, hash).spec);
  expect(text).toContain('["end/subgraph"]');
  expect(text).not.toMatch(/^\s*(end|subgraph)\b/m);
  expect(SMALLEST.nodes.map(({ id }) => id)).toContain('end');
});
