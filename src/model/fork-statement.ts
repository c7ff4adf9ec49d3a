import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';

/** What is signed in order to let a fork of a run change things for real. */
export interface ForkStatement {
  readonly run_id: string;
  /** The checkpoint it begins at. */
  readonly at: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The bytes that are signed. */
export function forkText(statement: ForkStatement): string {
  return `ambit.fork.v1\n${canonicalize(statement as unknown as Json)}`;
}
