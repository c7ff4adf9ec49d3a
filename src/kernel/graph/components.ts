/**
 * Strongly connected components by Tarjan's algorithm, in linear time. The call stack is kept in arrays, so a long
 * chain cannot overflow it. Components are lists of node numbers, sinks first.
 */
export function components(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const count = successors.length;
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const taken = new Int32Array(count);
  const open: number[] = [];
  const isOpen = new Uint8Array(count);
  const found: number[][] = [];
  let visited = 0;

  const enter = (node: number, path: number[]): void => {
    order[node] = visited;
    low[node] = visited;
    visited += 1;
    open.push(node);
    isOpen[node] = 1;
    path.push(node);
  };

  const close = (root: number): void => {
    const start = open.lastIndexOf(root);
    const component = open.splice(start);
    for (const node of component) isOpen[node] = 0;
    found.push(component.sort((a, b) => a - b));
  };

  for (let root = 0; root < count; root += 1) {
    if (at(order, root) !== -1) continue;
    const path: number[] = [];
    enter(root, path);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const next = successors[node]?.[at(taken, node)];
      if (next !== undefined) {
        taken[node] = at(taken, node) + 1;
        if (at(order, next) === -1) enter(next, path);
        else if (isOpen[next] === 1) low[node] = Math.min(at(low, node), at(order, next));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, node));
      if (at(low, node) === at(order, node)) close(node);
    }
  }
  return found;
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}
