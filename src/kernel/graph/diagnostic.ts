/** A problem of a graph, with the check that found it and its location. */
export interface GraphDiagnostic {
  /** 1 to 6 are the numbered compilation checks; the others check their preconditions. */
  readonly check: 1 | 2 | 3 | 4 | 5 | 6 | 'outcome' | 'reference' | 'tier';
  readonly node?: string;
  /** `from -> to` */
  readonly edge?: string;
  readonly message: string;
}

export function edgeLabel(edge: { readonly from: string; readonly to: string }): string {
  return `${edge.from} -> ${edge.to}`;
}
