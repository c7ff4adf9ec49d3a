import type { Artifact } from '../../model/record/artifact.ts';

/** Stores texts under their addresses, independently of the journal: reading one needs nothing else. */
export interface ArtifactStore {
  /** Idempotent for the same text. */
  put(artifactId: string, text: string): Promise<void>;
  get(artifactId: string): Promise<string | null>;
}

export interface ArtifactTools {
  readonly inFolder: (folder: string) => ArtifactStore;
  /** Checks a text against its address and the schema of its kind. */
  readonly read: (text: string) => Artifact;
}

/** Packs a text into one file and unpacks it again. */
export interface Archive {
  pack(text: string): Uint8Array;
  /** Throws `bundle_invalid` for bytes that `pack` did not produce. */
  unpack(bytes: Uint8Array): string;
}
