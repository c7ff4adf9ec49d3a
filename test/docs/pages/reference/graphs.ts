import { equal } from 'node:assert/strict';
import { sha256 } from '../../../../src/adapters/node/ids-and-hash.ts';
import { compile } from '../../../../src/graph.ts';
import type { PageFixture } from '../../page.ts';

export const run: PageFixture = async ({ load }) => {
  const { triage } = await load(1);
  const names: readonly string[] = triage.edges.map(({ guard }: { readonly guard: string }) => guard);
  const graph = compile(triage, Object.fromEntries(names.map((name) => [name, () => true])), sha256);
  equal(graph.spec.name, 'triage');
};
