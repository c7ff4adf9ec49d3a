import type { SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** No file imports itself, directly or through others, types included: a reader can read each file after its imports. */
export function checkCycles(files: readonly SourceFile[]): readonly Violation[] {
  const edges = new Map<string, readonly string[]>();
  for (const { path, targets } of files)
    edges.set(
      path,
      targets.flatMap(({ file }) => (file === null ? [] : [file])),
    );
  const found: Violation[] = [];
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const cycle = findCycle(start, edges, done);
    if (cycle === null) continue;
    const message = [...cycle, cycle[0]].join(' → ');
    found.push({ rule: 'cycle', path: cycle[0] ?? start, line: 1, message });
  }
  return found;
}

/** Depth first without recursion; `done` holds files from which no new cycle can be reached. */
function findCycle(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | null {
  const trail: { path: string; next: number }[] = [];
  const onTrail = new Set<string>();
  let cycle: readonly string[] | null = null;
  const enter = (path: string): void => {
    trail.push({ path, next: 0 });
    onTrail.add(path);
  };
  if (!done.has(start)) enter(start);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const child = edges.get(top.path)?.[top.next];
    top.next += 1;
    if (child === undefined) {
      trail.pop();
      onTrail.delete(top.path);
      done.add(top.path);
    } else if (onTrail.has(child)) {
      const paths = trail.map(({ path }) => path);
      cycle ??= paths.slice(paths.indexOf(child));
    } else if (!done.has(child) && edges.has(child)) enter(child);
  }
  return cycle;
}
