import type { Json } from './json.ts';

/** One committed value, who said it, and what it is about: two values can only disagree about the same thing. */
export interface StatedFact {
  readonly evidence_id: string;
  /** The tool that said so. */
  readonly source: string;
  readonly trusted: boolean;
  readonly type: string;
  readonly subject: string;
  /** What is said of the subject, as a JSON Pointer. */
  readonly path: string;
  readonly value: Json;
}

export interface SourcedFact extends StatedFact {
  /** The goal cannot be reached, or a decision not be made, without knowing which value is right. */
  readonly critical: boolean;
}
