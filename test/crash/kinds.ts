/** How a tool takes part in "exactly once". */
export const KINDS = ['read_only', 'key', 'natural', 'reconcilable', 'neither'] as const;
export type Kind = (typeof KINDS)[number];

/** How a run stands when its process has nothing left to do. */
export interface Standing {
  readonly code: string | null;
  readonly waits: string | null;
}
