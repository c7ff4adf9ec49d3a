/** The kinds of tools by how they keep an effect from happening twice. */
export const KINDS = ['read_only', 'key', 'natural', 'reconcilable', 'neither'] as const;
export type Kind = (typeof KINDS)[number];

/** The state of a run when its process has nothing left to do. */
export interface RunEnd {
  readonly code: string | null;
  readonly waits: string | null;
}
