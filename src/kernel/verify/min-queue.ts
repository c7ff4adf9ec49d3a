/** Whole numbers in, the smallest out: a binary heap. */
export interface MinQueue {
  push(value: number): void;
  pop(): number | undefined;
}

export function minQueue(): MinQueue {
  const heap: number[] = [];
  const at = (place: number): number => heap[place] ?? Number.POSITIVE_INFINITY;
  return {
    push(value) {
      let place = heap.length;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= value) break;
        heap[place] = at(parent);
        place = parent;
      }
      heap[place] = value;
    },
    pop() {
      const top = heap[0];
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return top;
      let place = 0;
      for (;;) {
        const left = 2 * place + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (!(at(child) < last)) break;
        heap[place] = at(child);
        place = child;
      }
      heap[place] = last;
      return top;
    },
  };
}
